import { X } from 'lucide-react';
import {
  createContext,
  type ReactNode,
  type RefObject,
  type SyntheticEvent,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { Button } from './button.tsx';
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
  /** While true, Escape and Back call `onClose` instead of closing it. */
  holds?: () => boolean;
  children: ReactNode;
}

const never = () => false;

/** The bare modal under Dialog and Drawer: a press beside it closes it. */
export function Modal({ isOpen, onClose, labelledBy, className, holds = never, children }: ModalProps) {
  const ref = useModal(isOpen);
  useBackdropPress(ref, onClose);
  // React hands the events of a dialog inside this one up here, too.
  const isOwn = ({ target }: { target: EventTarget }) =>
    target instanceof Element && target.closest('dialog') === ref.current;
  function keepOpen(event: SyntheticEvent) {
    if (event.defaultPrevented || !isOwn(event) || !holds()) return;
    event.preventDefault();
    onClose();
  }
  return (
    <dialog
      ref={ref}
      aria-labelledby={labelledBy}
      // Before the browser acts: pressed often enough, Escape closes a dialog whatever its `cancel` event is answered.
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.nativeEvent.isComposing) keepOpen(event);
      }}
      onCancel={keepOpen}
      onClose={(event) => {
        if (isOwn(event)) onClose();
      }}
      className={classNames('modal text-ink', className)}
    >
      {children}
    </dialog>
  );
}

interface Work {
  /** Which parts of the dialog hold something unsaved. */
  unsaved: Set<string>;
  leave(close: () => void): void;
}

const WorkContext = createContext<Work>({ unsaved: new Set(), leave: (close) => close() });

/** While `isUnsaved`, the dialog around asks before it closes, whichever way it is closed. */
export function useUnsavedWork(isUnsaved: boolean): void {
  const { unsaved } = useContext(WorkContext);
  const id = useId();
  useEffect(() => {
    if (!isUnsaved) return;
    unsaved.add(id);
    return () => void unsaved.delete(id);
  }, [unsaved, id, isUnsaved]);
}

/** For buttons such as Cancel: closes at once, or asks first where there is unsaved work. */
export const useLeaveDialog = (): Work['leave'] => useContext(WorkContext).leave;

interface DialogProps extends Pick<ModalProps, 'isOpen' | 'onClose' | 'children'> {
  title: ReactNode;
  className?: string;
}

export function Dialog({ title, children, className, isOpen, onClose }: DialogProps) {
  const titleId = useId();
  const [asked, setAsked] = useState<{ close: () => void } | null>(null);
  const [work] = useState<Work>(() => {
    const unsaved = new Set<string>();
    return { unsaved, leave: (close) => (unsaved.size > 0 ? setAsked({ close }) : close()) };
  });
  const leave = () => work.leave(onClose);
  return (
    <Modal
      isOpen={isOpen}
      onClose={leave}
      holds={() => work.unsaved.size > 0}
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
          <IconButton label="Close" onClick={leave} className="-mt-2 -mr-2">
            <X aria-hidden className="size-5" />
          </IconButton>
        </div>
        <WorkContext value={work}>{children}</WorkContext>
      </div>
      <DiscardQuestion
        isOpen={isOpen && asked !== null}
        onKeep={() => setAsked(null)}
        onDiscard={() => {
          setAsked(null);
          asked?.close();
        }}
      />
    </Modal>
  );
}

interface DiscardQuestionProps {
  isOpen: boolean;
  onKeep(): void;
  onDiscard(): void;
}

// The browser by itself would close the dialog around it, too, when Escape is pressed often enough.
const always = () => true;

function DiscardQuestion({ isOpen, onKeep, onDiscard }: DiscardQuestionProps) {
  const titleId = useId();
  return (
    <Modal
      isOpen={isOpen}
      onClose={onKeep}
      holds={always}
      labelledBy={titleId}
      className="m-auto w-[min(24rem,calc(100vw-2rem))] rounded-lg bg-raised shadow-float"
    >
      <div className="grid gap-4 p-6">
        <h2 id={titleId} className="text-lg">
          Discard what you entered?
        </h2>
        <p>It has not been saved.</p>
        <div className="flex flex-wrap justify-end gap-3">
          <Button variant="quiet" onClick={onKeep}>
            Keep editing
          </Button>
          <Button variant="danger" onClick={onDiscard}>
            Discard
          </Button>
        </div>
      </div>
    </Modal>
  );
}
