import { ImagePlus, X } from 'lucide-react';
import { useState } from 'react';
import { v7 as uuidv7 } from 'uuid';
import * as z from 'zod/mini';
import type { Api } from '../../../shared/api.ts';
import type { InputOf } from '../../../shared/endpoint.ts';
import { MAX_REPORT_TEXT, problem, problemNames } from '../../../shared/problem-reports.ts';
import { requiredText } from '../../../shared/text.ts';
import { filled } from '../../lib/form-fields.ts';
import { useKeptState, useSendForm } from '../../lib/forms.ts';
import { isSentBefore, useDialogCall, useLateAnswer } from '../../state/answers.ts';
import { useSession } from '../../state/session.tsx';
import { Button, FileButton, keepFocus } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { Form } from '../../ui/form-page.tsx';
import { TextArea } from '../../ui/input.tsx';

const written = z.object({
  problem: z.string().check(z.refine((value) => problem.safeParse(value).success, 'Please choose what is wrong')),
  text: filled('Please describe what happened', requiredText(MAX_REPORT_TEXT)),
});

type WrittenReport = Omit<InputOf<Api['POST /problem-reports']>['body'], 'order' | 'item'>;

interface ReportFormProps {
  /** True for a new report, false for a further message. */
  asksProblem: boolean;
  /** Id of the item, or of the report that the message belongs to. */
  about: string;
  send(report: WrittenReport): Promise<unknown>;
  /** Loads the reports again: the answer may be lost of a try that was carried out. */
  onFailure(): void;
  /** Called after a success, unless the form was closed meanwhile. */
  onDone(): void;
  onClose(): void;
}

export function ReportForm({ asksProblem, about, send, onFailure, onDone, onClose }: ReportFormProps) {
  const { user } = useSession();
  // The id of the message: sending the form again after a lost response writes it only once.
  const [idempotencyKey, setIdempotencyKey] = useState(() => uuidv7());
  // A data URL; empty without a picture.
  const [picture, setPicture] = useKeptState(`report picture ${user?._id} ${about}`, '');
  const { isShown, showLate } = useLateAnswer();
  const [isReading, setIsReading] = useState(false);
  const { fieldOf, form, formState } = useSendForm({
    schema: written,
    defaultValues: { problem: asksProblem ? '' : 'other', text: '' },
    send: async (values) => {
      const content = picture && { picture: picture.slice(picture.indexOf(',') + 1) };
      await send({ problem: problem.parse(values.problem), text: values.text, draft: idempotencyKey, ...content });
      if (isShown.current) onDone();
    },
    errorMessage: `Your ${asksProblem ? 'report' : 'message'} could not be sent`,
    onFailure: (failure, message) => {
      if (isSentBefore(failure)) setIdempotencyKey(uuidv7());
      showLate(message);
      onFailure();
    },
    keepAs: `report ${user?._id} ${about}`,
  });
  return (
    <Form
      {...form}
      action={isReading ? 'Waiting for the picture...' : asksProblem ? 'Send the report' : 'Send'}
      disabled={isReading}
      onCancel={onClose}
      isFilled={formState.isDirty || isReading || picture !== ''}>
      {asksProblem && (
        <Select
          {...fieldOf('problem')}
          label="What is wrong?"
          required
          options={{ '': 'Please choose', ...problemNames }}
        />
      )}
      <TextArea
        {...fieldOf('text')}
        label={asksProblem ? 'What happened?' : 'Your message'}
        required
        maxLength={MAX_REPORT_TEXT}
        hint={
          asksProblem
            ? 'Where you used it and what it said. Please do not type the key or the password itself: we know which item it is.'
            : 'Please do not type the key or the password itself.'
        }
      />
      <PictureChoice picture={picture} onChange={setPicture} isReading={isReading} setIsReading={setIsReading} />
    </Form>
  );
}

export function WithdrawForm({ send, onClose }: { send(): Promise<unknown>; onClose(): void }) {
  const form = useDialogCall({ send, onClose, errorMessage: 'The report could not be closed' });
  return (
    <Form {...form} action="Close the report" onCancel={onClose}>
      <p>For example because the item works after all. You keep it, and can report it again under warranty.</p>
    </Form>
  );
}

interface PictureChoiceProps {
  picture: string;
  onChange(picture: string): void;
  isReading: boolean;
  setIsReading(isReading: boolean): void;
}

function PictureChoice({ picture, onChange, isReading, setIsReading }: PictureChoiceProps) {
  const [isUnreadable, setIsUnreadable] = useState(false);

  async function choose(file: File) {
    setIsUnreadable(false);
    setIsReading(true);
    try {
      onChange(await shrinkPicture(file));
    } catch {
      setIsUnreadable(true);
    } finally {
      setIsReading(false);
    }
  }

  return (
    <div tabIndex={-1} className="grid justify-items-start gap-2 outline-none">
      {picture !== '' && (
        <img src={picture} alt="The chosen file" className="max-h-40 max-w-full rounded-md border border-line" />
      )}
      <div className="flex flex-wrap gap-2">
        <FileButton
          label="Picture"
          accept="image/*"
          variant="secondary"
          size="sm"
          icon={ImagePlus}
          loading={isReading}
          onChoose={(file) => void choose(file)}>
          {picture === '' ? 'Add a picture' : 'Choose another picture'}
        </FileButton>
        {picture !== '' && (
          <Button variant="quiet" size="sm" icon={X} onClick={() => void keepFocus(() => onChange(''))}>
            Remove
          </Button>
        )}
      </div>
      {isUnreadable && (
        <p role="alert" className="text-sm text-danger">
          Your browser cannot read this file as a picture. Please choose a PNG or JPEG.
        </p>
      )}
      <p className="text-sm text-muted">Optional. Only you and the shop see it, and it is deleted after a year.</p>
    </div>
  );
}

const LONGEST_SIDE = 1600;
const QUALITY = 0.85;

/** Returns a picture as the data URL of a JPEG of at most 1600 pixels a side, which a phone sends quickly. */
async function shrinkPicture(file: Blob): Promise<string> {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, LONGEST_SIDE / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser cannot draw');
  // A JPEG has no transparency: transparent pixels become white.
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas.toDataURL('image/jpeg', QUALITY);
}
