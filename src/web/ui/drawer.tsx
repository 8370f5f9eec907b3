import { X } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { Modal } from './dialog.tsx';
import { IconButton } from './icon-button.tsx';

interface DrawerProps {
  isOpen: boolean;
  onClose(): void;
  title: ReactNode;
  children: ReactNode;
  /** Stays in sight below what scrolls. */
  footer?: ReactNode;
}

/** Slides in from the right: the whole width of a phone, 24rem elsewhere. */
export function Drawer({ isOpen, onClose, title, children, footer }: DrawerProps) {
  const titleId = useId();
  return (
    <Modal
      isOpen={isOpen}
      onClose={onClose}
      labelledBy={titleId}
      className="drawer mr-0 ml-auto h-dvh max-h-none w-full max-w-none bg-raised shadow-float sm:w-96"
    >
      <div className="flex h-full flex-col">
        <div className="flex items-center justify-between gap-4 border-b border-line py-3 pr-3 pl-5">
          <h2 id={titleId} className="text-lg">
            {title}
          </h2>
          <IconButton label="Close" onClick={onClose}>
            <X aria-hidden className="size-5" />
          </IconButton>
        </div>
        <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain">{children}</div>
        {footer && <div className="border-t border-line p-5">{footer}</div>}
      </div>
    </Modal>
  );
}
