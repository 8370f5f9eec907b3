import { type ComponentType, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { MemoryRouter } from 'react-router';
import { ToastRegion } from '../../../src/web/features/shell/toast-region.tsx';
import { ToastProvider } from '../../../src/web/state/toasts.tsx';
import { Buttons, Fields, Overlays } from './kit-controls.tsx';
import { Containers, Messages, Tables } from './kit-display.tsx';

const parts: [title: string, Part: ComponentType][] = [
  ['Buttons', Buttons],
  ['Fields', Fields],
  ['Overlays', Overlays],
  ['Tabs and tables', Tables],
  ['Messages', Messages],
  ['Containers', Containers],
];

/** Everything in src/web/ui in every state, for kit.spec.ts and for people who change it. */
function KitPage() {
  return (
    <MemoryRouter>
      <ToastProvider>
        <main className="mx-auto grid w-full max-w-page grid-cols-[minmax(0,1fr)] gap-12 px-4 py-8 sm:px-6">
          <h1 className="text-2xl">Kit</h1>
          {parts.map(([title, Part]) => (
            <section
              key={title}
              aria-label={title}
              className="grid grid-cols-[minmax(0,1fr)] gap-6 border-t border-line pt-6">
              <h2 className="text-xl">{title}</h2>
              <Part />
            </section>
          ))}
        </main>
        <ToastRegion />
      </ToastProvider>
    </MemoryRouter>
  );
}

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <KitPage />
  </StrictMode>,
);
