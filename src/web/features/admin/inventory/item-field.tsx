import type { ComponentProps } from 'react';
import { MAX_ITEM_LENGTH } from '../../../../shared/inventory.ts';
import { TextArea } from '../../../ui/text-fields.tsx';

/** The field in which staff type what is delivered. */
export const ItemField = (area: ComponentProps<typeof TextArea>) => (
  <TextArea
    rows={3}
    maxLength={MAX_ITEM_LENGTH}
    autoComplete="off"
    autoCapitalize="none"
    spellCheck={false}
    className="font-mono text-sm"
    {...area}
  />
);
