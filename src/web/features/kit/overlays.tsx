import { Download, EllipsisVertical, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button, buttonClass, iconButtonClass } from '../../ui/button.tsx';
import { Dialog, Drawer } from '../../ui/dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Popover } from '../../ui/popover.tsx';
import { Specimen } from './specimen.tsx';

type Overlay = 'dialog' | 'drawer';

export function Overlays() {
  const [open, setOpen] = useState<Overlay>();
  const [chosen, setChosen] = useState('nothing yet');
  const close = () => setOpen(undefined);
  const groups = [
    [
      { label: 'Edit', icon: Pencil, onSelect: () => setChosen('Edit') },
      { label: 'Download', icon: Download, onSelect: () => setChosen('Download'), disabled: true },
    ],
    [{ label: 'Delete', icon: Trash2, onSelect: () => setChosen('Delete'), dangerous: true }],
  ];
  return (
    <>
      <Specimen name="Dialog and Drawer">
        <Button variant="secondary" onClick={() => setOpen('dialog')}>
          Open dialog
        </Button>
        <Button variant="secondary" onClick={() => setOpen('drawer')}>
          Open drawer
        </Button>
      </Specimen>
      <Specimen name="Menu">
        <Menu trigger="Actions" triggerProps={{ className: buttonClass('secondary') }} groups={groups} />
        <Menu
          trigger={<EllipsisVertical aria-hidden className="size-5" />}
          triggerProps={{ 'aria-label': 'More actions', className: iconButtonClass() }}
          groups={groups}
        />
        <p className="self-center text-muted">Chosen: {chosen}</p>
      </Specimen>
      <Specimen name="Popover">
        <Popover
          trigger="Open popover"
          triggerProps={{ className: buttonClass('secondary') }}
          className="w-64 p-4"
        >
          {(closePopover) => (
            <div className="grid gap-3">
              <p>A panel below its button.</p>
              <Button size="sm" onClick={closePopover}>
                Close it
              </Button>
            </div>
          )}
        </Popover>
      </Specimen>
      <Dialog isOpen={open === 'dialog'} onClose={close} title="Delete this product?">
        <p>It is taken off the shelf. What was sold stays with its buyers.</p>
        <div className="flex justify-end gap-3">
          <Button variant="quiet" onClick={close}>
            Cancel
          </Button>
          <Button variant="danger" onClick={close}>
            Delete
          </Button>
        </div>
      </Dialog>
      <Drawer
        isOpen={open === 'drawer'}
        onClose={close}
        title="Drawer"
        footer={<Button className="w-full">Stays in sight</Button>}
      >
        <p className="p-5">Slides in from the right; what does not fit scrolls here.</p>
      </Drawer>
    </>
  );
}
