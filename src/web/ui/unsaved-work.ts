import { createContext, useContext, useEffect, useId } from 'react';

export interface SurroundingDialog {
  /** Ids of the parts of the dialog with unsaved input. */
  unsaved: Set<string>;
  /** Calls `close`. If there is unsaved input, the user is first asked whether to discard it. */
  leave(close: () => void): void;
  /** Called when no unsaved input is left, which answers an open question whether to discard it. */
  onSaved(): void;
}

export const DialogContext = createContext<SurroundingDialog | null>(null);

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
