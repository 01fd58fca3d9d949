import { stockName } from './names.ts'
import { stopDistance, stopOf } from './rows.ts'
import { figuresOf } from './sums.ts'
import type { Column, Field } from './table.ts'
import { t } from './texts.ts'
import type { PositionRow } from './wire.ts'

/** What nobody has set is not known, and no price of nothing. */
const known = (value: number): number | undefined => (value > 0 ? value : undefined)

/** Where there is no room for all, the column of the lowest number leaves first (style.css, by the width of the window). */
const num = (
  leaves: '' | 'leaves-1' | 'leaves-2' | 'leaves-3' | 'leaves-4' | 'leaves-5',
  ...fields: Column<PositionRow>['fields']
): Column<PositionRow> => ({
  fields,
  look: `num wide-only ${leaves}`.trim(),
})
const field = (
  key: string,
  title: string,
  value: NonNullable<Field<PositionRow>['value']>,
): Field<PositionRow> => ({ key, title, value })

/** Columns of holdings: two values of one thing stand above each other, so that the table fits without scrolling. */
export const holdingColumns = (): readonly Column<PositionRow>[] => [
  { fields: [field('stock', t('stock.stock'), stockName)], look: 'sticky-1', isFixed: true },
  {
    fields: [
      field('price', t('position.price'), (row) => figuresOf(row).price),
      field('change', t('position.change'), (row) => figuresOf(row).change),
    ],
    look: 'num',
  },
  {
    fields: [
      field('profit', t('position.profit'), (row) => figuresOf(row).profit),
      field('percent', t('position.profitRatio'), (row) => figuresOf(row).percent),
    ],
    look: 'num',
  },
  num(
    'leaves-4',
    field('cost', t('position.cost'), (row) => figuresOf(row).cost),
    field('base', t('position.base'), (row) => known(row.base_cost_price)),
  ),
  num(
    'leaves-3',
    field('value', t('position.value'), (row) => figuresOf(row).value),
    field('opened', t('position.openDate'), (row) => row.open_date),
  ),
  num(
    'leaves-5',
    field('volume', t('position.volume'), (row) => row.volume),
    field('available', t('position.available'), (row) => row.available),
  ),
  num(
    '',
    field('stop', t('position.stop'), (row) => known(stopOf(row))),
    field('distance', t('position.distance'), stopDistance),
  ),
  num(
    'leaves-1',
    field('highest', t('position.highest'), (row) => known(row.highest_price)),
    field('triggered', t('position.triggered'), (row) => row.profit_triggered),
  ),
  {
    fields: [field('grid', t('position.grid'), (row) => row.grid_session_active)],
    look: 'wide-only leaves-2',
  },
  {
    fields: [field('stopProfit', t('position.stopProfit'), (row) => row.stop_profit_enabled)],
    look: 'wide-only',
  },
]
