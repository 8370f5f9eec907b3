import { Bar, CartesianGrid, ComposedChart, Line, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { formatShopDay } from '../../../../shared/format.ts';
import type { Sales } from '../../../../shared/statistics.ts';
import { dollars } from '../figures.tsx';

const thousands = new Intl.NumberFormat('en-MY', { notation: 'compact' });
const ticks = { fill: 'var(--color-muted)', fontSize: 12 };

/** Orders as bars and revenue as a line, each with its own scale; without animation, for accessibility. */
export function SalesChart({ days }: { days: Sales['days'] }) {
  return (
    <ResponsiveContainer width="100%" height="100%">
      <ComposedChart data={days} margin={{ top: 8, right: 0, bottom: 0, left: 0 }} accessibilityLayer={false}>
        <CartesianGrid vertical={false} stroke="var(--color-line)" />
        <XAxis
          dataKey="day"
          tickFormatter={formatShopDay}
          tick={ticks}
          tickLine={false}
          axisLine={{ stroke: 'var(--color-line)' }}
          minTickGap={28}
        />
        <YAxis
          yAxisId="revenue"
          tickFormatter={(dollars: number) => `$${thousands.format(dollars)}`}
          tick={ticks}
          tickLine={false}
          axisLine={false}
          width={48}
        />
        <YAxis
          yAxisId="orders"
          orientation="right"
          allowDecimals={false}
          tick={ticks}
          tickLine={false}
          axisLine={false}
          width={36}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={{ fill: 'var(--color-accent-soft)', stroke: 'var(--color-line)' }}
          contentStyle={{
            background: 'var(--color-raised)',
            border: '1px solid var(--color-line)',
            borderRadius: '0.625rem',
            color: 'var(--color-ink)',
          }}
          itemStyle={{ color: 'var(--color-ink)' }}
          labelFormatter={(day) => formatShopDay(String(day))}
          formatter={(value, name) => [name === 'Revenue' ? dollars(Number(value)) : value, name]}
        />
        <Bar
          yAxisId="orders"
          dataKey="orders"
          name="Orders"
          fill="var(--color-info)"
          fillOpacity={0.35}
          isAnimationActive={false}
        />
        <Line
          yAxisId="revenue"
          dataKey="revenue"
          name="Revenue"
          stroke="var(--color-accent)"
          strokeWidth={2}
          dot={false}
          isAnimationActive={false}
        />
      </ComposedChart>
    </ResponsiveContainer>
  );
}
