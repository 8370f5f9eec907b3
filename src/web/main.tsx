import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { keepFirstData } from './first-data.ts';

const SPLASH_MS = 1000;
const SPLASH_FADE_MS = 180;

function elementOf(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`index.html has no #${id}`);
  return element;
}

/** A screen that breaks must not leave a blank page: by now React has emptied the root. */
function showFailure(failure: unknown) {
  reportError(failure);
  elementOf('failure').hidden = false;
}

keepFirstData();
createRoot(elementOf('root'), { onUncaughtError: showFailure }).render(
  <StrictMode>
    <App />
  </StrictMode>,
);

// The page loads and paints below it meanwhile; performance.now() counts from the start of the visit.
setTimeout(
  () => {
    const splash = elementOf('splash');
    splash.classList.add('is-leaving');
    setTimeout(() => splash.remove(), SPLASH_FADE_MS);
  },
  Math.max(0, SPLASH_MS - performance.now()),
);
