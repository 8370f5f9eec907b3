import type { LucideIcon } from 'lucide-react';
import { FileSpreadsheet, PackagePlus, ShoppingCart, Users } from 'lucide-react';
import { Button } from '../../../ui/button.tsx';
import { useDashboardUrl } from '../dashboard-url.ts';
import { OverviewCard } from './overview-card.tsx';

export function QuickActions() {
  const { goTo, set } = useDashboardUrl();
  return (
    <OverviewCard title="Quick Actions">
      <div className="grid grid-cols-2 gap-2">
        <Action icon={PackagePlus} label="Add Product" onClick={() => goTo('digital', { dialog: 'add' })} />
        <Action icon={ShoppingCart} label="View Orders" onClick={() => goTo('orders')} />
        <Action icon={Users} label="Manage Users" onClick={() => goTo('users')} />
        <Action icon={FileSpreadsheet} label="Generate Report" onClick={() => set({ dialog: 'report' })} />
      </div>
    </OverviewCard>
  );
}

function Action({ icon: Icon, label, onClick }: { icon: LucideIcon; label: string; onClick(): void }) {
  return (
    <Button variant="secondary" className="flex-col py-3 text-sm" onClick={onClick}>
      <Icon aria-hidden className="size-5 text-accent-ink" />
      {label}
    </Button>
  );
}
