import { FirstSteps } from './first-steps.tsx';
import { NeedsAttention } from './needs-attention.tsx';
import { OverviewTiles } from './overview-tiles.tsx';
import { BestSellers, LowStock } from './product-lists.tsx';
import { QuickActions } from './quick-actions.tsx';
import { RecentOrders } from './recent-orders.tsx';
import { SalesCard } from './sales-card.tsx';
import { SystemStatistics } from './system-statistics.tsx';

export function OverviewTab() {
  return (
    <div className="grid gap-4 sm:gap-5">
      <h2 className="text-xl">Dashboard Overview</h2>
      <NeedsAttention />
      <FirstSteps />
      <OverviewTiles />
      <div className="grid gap-4 sm:gap-5 lg:grid-cols-3">
        <SalesCard className="lg:col-span-2" />
        <div className="grid content-start gap-4 sm:gap-5">
          <SystemStatistics />
          <QuickActions />
        </div>
        <RecentOrders />
        <BestSellers />
        <LowStock />
      </div>
    </div>
  );
}
