import { X } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useId, useRef } from 'react';
import { classNames } from './class-names.ts';
import { IconButton } from './icon-button.tsx';
import { keepInHistory } from './modal-history.ts';

/** Opens and closes the platform's modal dialog, which traps focus, answers Escape and Back, and gives focus back. */
function useModal(isOpen: boolean): RefObject<HTMLDialogElement | null> {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null || dialog.open === isOpen) return;
    if (isOpen) dialog.showModal();
    else dialog.close();
  }, [isOpen]);
  useEffect(() => (isOpen && ref.current ? keepInHistory(ref.current) : undefined), [isOpen]);
  return ref;
}

/** A press on the backdrop arrives at the dialog itself, one inside at what it hit. */
function useBackdropPress(ref: RefObject<HTMLDialogElement | null>, onPress: () => void) {
  useEffect(() => {
    const dialog = ref.current;
    const notice = ({ target }: MouseEvent) => {
      if (target === dialog) onPress();
    };
    dialog?.addEventListener('click', notice);
    return () => dialog?.removeEventListener('click', notice);
  }, [ref, onPress]);
}

interface ModalProps {
  isOpen: boolean;
  onClose(): void;
  /** Its accessible name. */
  labelledBy: string;
  className: string;
  /** A press beside it does nothing: what was typed would be lost. */
  keepsWork?: boolean;
  children: ReactNode;
}

const doNothing = () => undefined;

/** The bare modal under Dialog and Drawer: a press beside it closes it. */
export function Modal({ isOpen, onClose, labelledBy, className, keepsWork = false, children }: ModalProps) {
  const ref = useModal(isOpen);
  useBackdropPress(ref, keepsWork ? doNothing : onClose);
  return (
    <dialog
      ref={ref}
      aria-labelledby={labelledBy}
      // React hands the closing of a dialog inside this one up here, too.
      onClose={({ target, currentTarget }) => {
        if (target === currentTarget) onClose();
      }}
      className={classNames('modal text-ink', className)}
    >
      {children}
    </dialog>
  );
}

interface DialogProps extends Pick<ModalProps, 'isOpen' | 'onClose' | 'keepsWork' | 'children'> {
  title: ReactNode;
  className?: string;
}

export function Dialog({ title, children, className, ...modal }: DialogProps) {
  const titleId = useId();
  return (
    <Modal
      {...modal}
      labelledBy={titleId}
      className={classNames(
        'm-auto max-h-[90svh] w-[min(32rem,calc(100vw-2rem))] rounded-lg bg-raised shadow-float',
        className,
      )}
    >
      <div className="grid gap-4 p-6">
        <div className="flex items-start justify-between gap-4">
          <h2 id={titleId} className="text-xl">
            {title}
          </h2>
          <IconButton label="Close" onClick={modal.onClose} className="-mt-2 -mr-2">
            <X aria-hidden className="size-5" />
          </IconButton>
        </div>
        {children}
      </div>
    </Modal>
  );
}
