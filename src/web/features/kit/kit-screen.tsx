import type { ComponentType } from 'react';
import { useTitle } from '../../lib/page.ts';
import { Buttons } from './buttons.tsx';
import { Containers } from './containers.tsx';
import { Fields } from './fields.tsx';
import { Messages } from './messages.tsx';
import { Overlays } from './overlays.tsx';
import { Tables } from './tables.tsx';

const parts: [title: string, Part: ComponentType][] = [
  ['Buttons', Buttons],
  ['Fields', Fields],
  ['Overlays', Overlays],
  ['Tabs and tables', Tables],
  ['Messages', Messages],
  ['Containers', Containers],
];

/** Everything in src/web/ui in every state, to look at while working on it; only the development server has it. */
export function KitScreen() {
  useTitle('Kit');
  return (
    <div className="mx-auto grid w-full max-w-page grid-cols-[minmax(0,1fr)] gap-12 px-4 py-8 sm:px-6">
      <h1 className="text-2xl">Kit</h1>
      {parts.map(([title, Part]) => (
        <section
          key={title}
          aria-label={title}
          className="grid grid-cols-[minmax(0,1fr)] gap-6 border-t border-line pt-6"
        >
          <h2 className="text-xl">{title}</h2>
          <Part />
        </section>
      ))}
    </div>
  );
}
