import { Heart, Plus, ShoppingCart, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { Button, buttonClass, IconButton, QuantityStepper, Spinner } from '../../../src/web/ui/button.tsx';
import { Dialog, Drawer } from '../../../src/web/ui/dialog.tsx';
import { Select } from '../../../src/web/ui/field.tsx';
import { Checkbox, Choice, Field, PasswordField } from '../../../src/web/ui/input.tsx';
import { OtpField } from '../../../src/web/ui/otp-field.tsx';

const variants = ['primary', 'secondary', 'quiet', 'danger'] as const;
const sizes = ['sm', 'md', 'lg'] as const;

export function Buttons() {
  const [quantity, setQuantity] = useState(3);
  return (
    <>
      {variants.map((variant) => (
        <Specimen key={variant} name={`Button, ${variant}`}>
          {sizes.map((size) => (
            <Button key={size} variant={variant} size={size}>
              Size {size}
            </Button>
          ))}
          <Button variant={variant} icon={ShoppingCart}>
            With an icon
          </Button>
          <Button variant={variant} loading>
            Loading
          </Button>
          <Button variant={variant} disabled>
            Disabled
          </Button>
        </Specimen>
      ))}
      <Specimen name="A link that looks like a button">
        <Link to="/" className={buttonClass('secondary')}>
          To the shop
        </Link>
      </Specimen>
      <Specimen name="IconButton">
        <IconButton icon={Heart} label="Add to favourites" />
        <IconButton icon={Trash2} label="Delete" className="hover:bg-danger-soft hover:text-danger" />
        <IconButton icon={Plus} label="Add (disabled)" disabled />
      </Specimen>
      <Specimen name="QuantityStepper, at one and above">
        <QuantityStepper quantity={1} of="a first thing" onChange={() => undefined} />
        <QuantityStepper quantity={quantity} of="a second thing" onChange={setQuantity} />
      </Specimen>
      <Specimen name="Spinner">
        <Spinner className="size-5" />
        <Spinner className="size-8 text-accent" label="Loading" />
      </Specimen>
    </>
  );
}

const countries = ['Malaysia', 'Singapore', 'Thailand'];
const options = countries.map((country) => <option key={country}>{country}</option>);
const CODE_WRONG = 'Invalid verification code';

export function Fields() {
  const [code, setCode] = useState('123');
  const [wrong, setWrong] = useState('000000');
  const [country, setCountry] = useState('Malaysia');
  return (
    <div className="grid items-start gap-6 sm:grid-cols-2 lg:grid-cols-3">
      <Field label="Field, empty" placeholder="Placeholder" />
      <Field label="Field, filled" defaultValue="Aminah Yusof" hint="A hint says what it is for." />
      <Field label="Field, optional" optional type="tel" />
      <Field label="Field, wrong" defaultValue="aminah@" error="Please enter a valid email address" />
      <Field label="Field, wrong with a hint" error="Please enter your email" hint="We send your receipt here." />
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
      <OtpField label="OtpField" length={6} value={code} onChange={setCode} hint="From your authenticator app." />
      <OtpField
        label="OtpField, wrong"
        length={6}
        value={wrong}
        onChange={setWrong}
        error={wrong === '000000' ? CODE_WRONG : undefined}
      />
      <div>
        <Checkbox>Checkbox</Checkbox>
        <Checkbox defaultChecked>Checkbox, checked</Checkbox>
        <Checkbox disabled>Checkbox, disabled</Checkbox>
      </div>
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-semibold">Choice</legend>
        {countries.map((name) => (
          <Choice key={name} name="choice" checked={name === country} onChoose={() => setCountry(name)}>
            {name}
          </Choice>
        ))}
      </fieldset>
    </div>
  );
}

type Overlay = 'dialog' | 'drawer';

export function Overlays() {
  const [open, setOpen] = useState<Overlay>();
  const close = () => setOpen(undefined);
  return (
    <>
      <Specimen name="Dialog and Drawer">
        <Button variant="secondary" onClick={() => setOpen('dialog')}>
          Open dialog
        </Button>
        <Button variant="secondary" onClick={() => setOpen('drawer')}>
          Open drawer
        </Button>
      </Specimen>
      <Dialog isOpen={open === 'dialog'} onClose={close} title="Delete this product?">
        <p>It is taken off the shelf. What was sold stays with its buyers.</p>
        <div className="flex justify-end gap-3">
          <Button variant="quiet" onClick={close}>
            Cancel
          </Button>
          <Button variant="danger" onClick={close}>
            Delete
          </Button>
        </div>
      </Dialog>
      <Drawer
        isOpen={open === 'drawer'}
        onClose={close}
        title="Drawer"
        footer={<Button className="w-full">Stays in sight</Button>}>
        <p className="p-5">Slides in from the right; what does not fit scrolls here.</p>
      </Drawer>
    </>
  );
}

/** One component, its name, and its states side by side. */
export function Specimen({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-3">
      <h3 className="text-sm font-semibold tracking-normal text-muted">{name}</h3>
      <div className="flex flex-wrap items-start gap-4">{children}</div>
    </div>
  );
}
