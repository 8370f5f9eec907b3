import { Minus, Plus } from 'lucide-react';
import { IconButton } from './button.tsx';

interface QuantityStepperProps {
  quantity: number;
  /** Name of the product, for screen readers. */
  of: string;
  onChange(quantity: number): void;
}

/** Minus, the number, plus. Minus stays focusable at 1 and does nothing there. */
export function QuantityStepper({ quantity, of, onChange }: QuantityStepperProps) {
  return (
    <div className="inline-flex items-center rounded-md border border-edge">
      <IconButton
        icon={Minus}
        iconClass="size-4"
        label={`Decrease quantity of ${of}`}
        aria-disabled={quantity <= 1}
        onClick={() => quantity > 1 && onChange(quantity - 1)}
        className="aria-disabled:cursor-not-allowed aria-disabled:text-muted"
      />
      <output aria-live="polite" className="tabular min-w-8 text-center font-semibold">
        <span className="sr-only">Quantity </span>
        {quantity}
      </output>
      <IconButton
        icon={Plus}
        iconClass="size-4"
        label={`Increase quantity of ${of}`}
        onClick={() => onChange(quantity + 1)}
      />
    </div>
  );
}
