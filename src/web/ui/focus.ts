/**
 * Remembers the focused element. Call the returned function after an action that may have removed or disabled that
 * element. If the focus is lost, it moves to the nearest remaining part of the page; in a list, to the next entry.
 */
export function rememberFocus(): () => void {
  const parts: Element[] = [];
  const dialog = document.activeElement?.closest('dialog');
  for (let part = document.activeElement; part !== null; part = part.parentElement) {
    parts.push(part);
    const neighbours = part.matches('li') ? [part.nextElementSibling, part.previousElementSibling] : [];
    parts.push(...neighbours.filter((entry) => entry !== null));
  }
  function restore() {
    if (document.activeElement !== document.body) return;
    // A dialog that was closed meanwhile returns the focus itself, to where it was opened.
    if (dialog && !dialog.open) return;
    const target = parts.map(focusTargetIn).find((found) => found !== undefined);
    if (target === undefined) return;
    if (!target.hasAttribute('tabindex')) target.tabIndex = -1;
    target.focus({ preventScroll: true });
  }
  // Waits for the next frame: then the result of the action is rendered, and a disabled element has lost the focus.
  return () => requestAnimationFrame(() => setTimeout(restore));
}

// A closed dialog is still visible while it fades.
const isShown = (element: HTMLElement) => element.checkVisibility() && !element.closest('dialog:not([open])');

function focusTargetIn(part: Element): HTMLElement | undefined {
  const candidates = part.matches('[tabindex]') ? [part] : [...part.querySelectorAll('h1, h2, h3')];
  return (candidates as HTMLElement[]).find(isShown);
}
