import { Bar, CartesianGrid, ComposedChart, Line, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import type { Sales } from '../../../../shared/admin.ts';
import { formatDollars } from '../../../../shared/currency.ts';
import { formatShopDay } from '../../../../shared/format.ts';

const thousands = new Intl.NumberFormat('en-MY', { notation: 'compact' });
const line = 'var(--color-line)';
const axis = { tick: { fill: 'var(--color-muted)', fontSize: 12 }, tickLine: false, axisLine: false };

// Without animation, for accessibility.
const still = { isAnimationActive: false };

export function SalesChart({ days }: { days: Sales['days'] }) {
  return (
    <ResponsiveContainer width="100%" height="100%">
      <ComposedChart data={days} margin={{ top: 8, right: 0, bottom: 0, left: 0 }} accessibilityLayer={false}>
        <CartesianGrid vertical={false} stroke={line} yAxisId="revenue" />
        <XAxis
          {...axis}
          dataKey="day"
          tickFormatter={formatShopDay}
          axisLine={{ stroke: line }}
          interval="equidistantPreserveStart"
          minTickGap={28}
        />
        <YAxis
          {...axis}
          yAxisId="revenue"
          tickFormatter={(value: number) => `$${thousands.format(value)}`}
          width={48}
        />
        <YAxis {...axis} yAxisId="orders" orientation="right" allowDecimals={false} width={36} />
        <Tooltip
          {...still}
          cursor={{ fill: 'var(--color-accent-soft)', stroke: line }}
          contentStyle={{
            background: 'var(--color-raised)',
            border: `1px solid ${line}`,
            borderRadius: '0.625rem',
            color: 'var(--color-ink)',
          }}
          itemStyle={{ color: 'var(--color-ink)' }}
          labelFormatter={(day) => formatShopDay(String(day))}
          formatter={(value, name) => [name === 'Revenue' ? formatDollars(Number(value)) : value, name]}
        />
        <Bar {...still} yAxisId="orders" dataKey="orders" name="Orders" fill="var(--color-info)" fillOpacity={0.35} />
        <Line
          {...still}
          yAxisId="revenue"
          dataKey="revenue"
          name="Revenue"
          stroke="var(--color-accent)"
          strokeWidth={2}
          dot={false}
        />
      </ComposedChart>
    </ResponsiveContainer>
  );
}
