import { X } from 'lucide-react';
import {
  createContext,
  type KeyboardEvent,
  type ReactNode,
  type SyntheticEvent,
  startTransition,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { Button, IconButton, rememberFocus } from './button.tsx';
import { classNames } from './display.tsx';
import { keepInHistory } from './modal-history.ts';

interface ModalProps {
  isOpen: boolean;
  onClose(): void;
  labelledBy: string;
  className: string;
  /** While this returns true, Escape and Back call `onClose` instead of closing the modal. */
  holds?: () => boolean;
  children: ReactNode;
}

// The dialog fades with its backdrop, and stays in the top layer until the transition ends. Safari and Firefox take it out
// at once, and it must not move or widen the page while it fades.
const modalClass = classNames(
  'fixed inset-0 z-50 text-ink opacity-0 transition-[opacity,translate,overlay,display] transition-discrete duration-(--motion-slow) ease-out',
  'open:translate-0 open:opacity-100 starting:open:opacity-0',
  'backdrop:bg-scrim backdrop:opacity-0 backdrop:transition-[opacity,overlay,display] backdrop:transition-discrete',
  'backdrop:duration-(--motion-slow) open:backdrop:opacity-100 starting:open:backdrop:opacity-0',
);

/** The browser's modal dialog, which traps and restores the focus; closes on Escape, Back and a click on the backdrop. */
function Modal({ isOpen, onClose, labelledBy, className, holds = () => false, children }: ModalProps) {
  const ref = useRef<HTMLDialogElement>(null);
  // The browser closes a modal by itself, and a click may reopen it before React has rendered it as closed. `isOpen`
  // then stays true, so this count makes the effect below open the modal again.
  const [closings, setClosings] = useState(0);
  const opening = isOpen ? closings + 1 : 0;
  // The browser returns the focus to the element that had it. That element may be gone by then.
  useLayoutEffect(() => (opening > 0 ? rememberFocus() : undefined), [opening]);
  // A layout effect runs within the commit. A later effect could run after the browser has begun to leave the page.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog === null || dialog.open === opening > 0) return;
    if (opening > 0) dialog.showModal();
    else dialog.close();
  }, [opening]);
  useLayoutEffect(() => (opening > 0 && ref.current ? keepInHistory(ref.current) : undefined), [opening]);

  // A text selection may end on the backdrop: the click that follows has the dialog as its target, too.
  const isBackdropPressed = useRef(false);

  // React bubbles the events of a nested dialog up to this dialog, too.
  const isOwn = ({ target }: { target: EventTarget }) =>
    target instanceof Element && target.closest('dialog') === ref.current;
  function keepOpen(event: SyntheticEvent) {
    if (event.defaultPrevented || !isOwn(event) || !holds()) return;
    event.preventDefault();
    onClose();
  }
  // On Escape, the browser itself would close all modals that were opened without a user action at once. A repeated
  // Escape would even close a modal whose `cancel` event is prevented.
  function closeByEscape(event: KeyboardEvent) {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing || isInOpenSelect(event.target)) return;
    if (event.defaultPrevented || !isOwn(event)) return;
    event.preventDefault();
    if (holds()) onClose();
    else ref.current?.close();
  }
  return (
    <dialog
      ref={ref}
      aria-labelledby={labelledBy}
      onKeyDown={closeByEscape}
      onCancel={keepOpen}
      onClose={(event) => {
        // The event of a modal that React has closed may come after the modal was opened again.
        if (!isOwn(event) || !isOpen) return;
        onClose();
        // The router renders a URL change by `onClose` in a transition. This renders together with it.
        startTransition(() => setClosings((count) => count + 1));
      }}
      // A click on the backdrop has the dialog itself as its target.
      onPointerDown={({ target }) => {
        isBackdropPressed.current = target === ref.current;
      }}
      onClick={({ target }) => {
        if (target === ref.current && isBackdropPressed.current) onClose();
      }}
      className={classNames(modalClass, className)}>
      {children}
    </dialog>
  );
}

/** Whether the target is in an open select: Escape then closes only its list of options. */
const isInOpenSelect = (target: EventTarget): boolean =>
  CSS.supports('selector(:open)') && target instanceof Element && target.closest('select:open') !== null;

const DISCARD = {
  title: 'Discard what you entered?',
  text: 'It has not been saved.',
  keep: 'Keep editing',
  discard: 'Discard',
};

interface DialogProps extends Pick<ModalProps, 'isOpen' | 'onClose' | 'children'> {
  title: ReactNode;
  className?: string;
  question?: typeof DISCARD | undefined;
}

/** A dialog whose content is mounted only while it is open. */
export function Dialog({ title, children, className, isOpen, onClose, question = DISCARD }: DialogProps) {
  const [titleId, questionId] = [useId(), useId()];
  const [asked, setAsked] = useState<{ close: () => void } | null>(null);
  // The dialog may close while it asks, e.g. after an upload.
  if (!isOpen && asked !== null) setAsked(null);
  const [dialog] = useState<SurroundingDialog>(() => {
    const unsaved = new Set<string>();
    return {
      unsaved,
      leave: (close) => (unsaved.size > 0 ? setAsked({ close }) : close()),
      onSaved: () => setAsked(null),
    };
  });
  const leave = () => dialog.leave(onClose);
  const keep = () => setAsked(null);
  return (
    <Modal
      isOpen={isOpen}
      onClose={leave}
      holds={() => dialog.unsaved.size > 0}
      labelledBy={titleId}
      className={classNames(
        'm-auto max-h-[90svh] w-[min(32rem,calc(100vw-2rem))] rounded-lg bg-raised shadow-float',
        // Its content is gone by then, so only the backdrop fades out.
        'not-open:transition-[overlay,display]',
        className,
      )}>
      <div className="grid grid-cols-1 gap-4 p-6">
        <div className="flex items-start justify-between gap-4">
          <h2 id={titleId} className="min-w-0 text-xl wrap-anywhere">
            {title}
          </h2>
          <IconButton icon={X} label="Close" onClick={leave} className="-mt-2 -mr-2" />
        </div>
        <DialogContext value={dialog}>{isOpen && children}</DialogContext>
      </div>
      <Modal
        isOpen={isOpen && asked !== null}
        onClose={keep}
        // A repeated Escape would otherwise close the surrounding dialog, too.
        holds={() => true}
        labelledBy={questionId}
        className="m-auto w-[min(24rem,calc(100vw-2rem))] rounded-lg bg-raised shadow-float">
        <div className="grid gap-4 p-6">
          <h2 id={questionId} className="text-lg">
            {question.title}
          </h2>
          <p>{question.text}</p>
          <div className="flex flex-wrap justify-end gap-3">
            <Button variant="quiet" onClick={keep}>
              {question.keep}
            </Button>
            <Button
              variant="danger"
              onClick={() => {
                keep();
                asked?.close();
              }}>
              {question.discard}
            </Button>
          </div>
        </div>
      </Modal>
    </Modal>
  );
}

interface DrawerProps {
  isOpen: boolean;
  onClose(): void;
  title: ReactNode;
  children: ReactNode;
  footer?: ReactNode;
}

/** Slides in from the right: the whole width of a phone, 24rem elsewhere. Scrolls as a whole on a phone held sideways. */
export function Drawer({ isOpen, onClose, title, children, footer }: DrawerProps) {
  const titleId = useId();
  return (
    <Modal
      isOpen={isOpen}
      onClose={onClose}
      labelledBy={titleId}
      className="translate-x-full starting:open:translate-x-full mr-0 ml-auto h-dvh max-h-none w-full max-w-none bg-raised shadow-float sm:w-96">
      <div className="flex flex-col [@media(min-height:30rem)]:h-full">
        <div className="flex items-center justify-between gap-4 border-b border-line py-3 pr-3 pl-5">
          <h2 id={titleId} className="text-lg">
            {title}
          </h2>
          <IconButton icon={X} label="Close" onClick={onClose} />
        </div>
        <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain">{children}</div>
        {footer && <div className="border-t border-line p-5">{footer}</div>}
      </div>
    </Modal>
  );
}

interface SurroundingDialog {
  /** Ids of the parts of the dialog with unsaved input. */
  unsaved: Set<string>;
  /** Calls `close`. If there is unsaved input, the user is first asked whether to discard it. */
  leave(close: () => void): void;
  /** Called when no unsaved input is left, which answers an open question whether to discard it. */
  onSaved(): void;
}

const DialogContext = createContext<SurroundingDialog | null>(null);

export const useDialog = () => useContext(DialogContext);

/** While `isUnsaved` is true, the surrounding dialog asks before it closes, and the browser before it leaves the page. */
export function useUnsavedWork(isUnsaved: boolean): void {
  const dialog = useDialog();
  const id = useId();
  useEffect(() => {
    if (!isUnsaved) return;
    dialog?.unsaved.add(id);
    window.addEventListener('beforeunload', askBeforeLeaving);
    return () => {
      window.removeEventListener('beforeunload', askBeforeLeaving);
      dialog?.unsaved.delete(id);
      if (dialog?.unsaved.size === 0) dialog.onSaved();
    };
  }, [dialog, id, isUnsaved]);
}

const askBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault();
