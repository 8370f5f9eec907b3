import { useState } from 'react';
import { Field, Select } from '../../ui/field.tsx';
import { OtpField } from '../../ui/otp-field.tsx';
import { PasswordField } from '../../ui/text-fields.tsx';

const options = ['Malaysia', 'Singapore', 'Thailand'].map((country) => (
  <option key={country}>{country}</option>
));
const CODE_WRONG = 'Invalid verification code';

export function Fields() {
  const [code, setCode] = useState('123');
  const [wrong, setWrong] = useState('000000');
  return (
    <div className="grid items-start gap-6 sm:grid-cols-2 lg:grid-cols-3">
      <Field label="Field, empty" placeholder="Placeholder" />
      <Field label="Field, filled" defaultValue="Aminah Yusof" hint="A hint says what it is for." />
      <Field label="Field, optional" optional type="tel" />
      <Field label="Field, wrong" defaultValue="aminah@" error="Please enter a valid email address" />
      <Field
        label="Field, wrong with a hint"
        error="Please enter your email"
        hint="We send your receipt here."
      />
      <Field label="Field, read only" readOnly defaultValue="While a payment runs" />
      <Field label="Field, disabled" disabled defaultValue="Not now" />
      <PasswordField label="PasswordField" defaultValue="opens-everything" autoComplete="off" />
      <PasswordField
        label="PasswordField, wrong"
        defaultValue="12345"
        autoComplete="off"
        error="Password must be at least 6 characters"
      />
      <Select label="Select">{options}</Select>
      <Select label="Select, wrong" error="Please choose a country" hint="Where it is sent to.">
        {options}
      </Select>
      <Select label="Select, disabled" disabled>
        {options}
      </Select>
      <Select label="Select without a visible label" labelHidden>
        {options}
      </Select>
      <OtpField label="OtpField" value={code} onChange={setCode} hint="From your authenticator app." />
      <OtpField
        label="OtpField, wrong"
        value={wrong}
        onChange={setWrong}
        error={wrong === '000000' ? CODE_WRONG : undefined}
      />
      <OtpField label="OtpField, disabled" value="123456" onChange={() => undefined} disabled />
    </div>
  );
}
