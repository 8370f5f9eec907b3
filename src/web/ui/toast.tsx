import { CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert, X } from 'lucide-react';
import type { ComponentProps } from 'react';
import { IconButton } from './button.tsx';
import { Picture } from './picture.tsx';

type ToastType = 'success' | 'error' | 'warning' | 'info';

const looks: Record<ToastType, { icon: LucideIcon; colour: string; said: string }> = {
  success: { icon: CircleCheck, colour: 'text-success', said: 'Done' },
  error: { icon: CircleAlert, colour: 'text-danger', said: 'Error' },
  warning: { icon: TriangleAlert, colour: 'text-warning', said: 'Warning' },
  info: { icon: Info, colour: 'text-info', said: 'Note' },
};

interface ToastProps extends Omit<ComponentProps<'li'>, 'children'> {
  type: ToastType;
  message: string;
  product?: { name: string; image: string; category: string } | undefined;
  onClose(): void;
}

/** One message in the list of them; who lists it decides how long it stays. */
export function Toast({ type, message, product, onClose, ...item }: ToastProps) {
  const { icon: Icon, colour, said } = looks[type];
  return (
    <li
      {...item}
      className="toast pointer-events-auto flex items-center gap-3 rounded-lg border border-line bg-raised py-2 pr-2 pl-3 text-sm text-ink shadow-float">
      {product ? (
        <Picture
          src={product.image}
          category={product.category}
          alt=""
          eager
          className="aspect-4/3 w-14 shrink-0 rounded-md"
        />
      ) : (
        <Icon aria-hidden className={`size-5 shrink-0 ${colour}`} />
      )}
      <p className="min-w-0 flex-1 py-1">
        <span className="sr-only">{said}: </span>
        {product && <span className="block truncate font-semibold">{product.name}</span>}
        <span className={product ? `flex items-center gap-1 ${colour}` : ''}>
          {product && <Icon aria-hidden className="size-4 shrink-0" />}
          {message}
        </span>
      </p>
      <IconButton label="Close message" onClick={onClose} className="size-9">
        <X aria-hidden className="size-4" />
      </IconButton>
    </li>
  );
}
