/** Tables whose rows an event can touch, with the key; the shell writes the rows as they stand afterwards. */
export type DirtyRow =
  | { readonly table: 'meta'; readonly key: 'account' | 'safety' | 'lost' }
  | { readonly table: 'positions'; readonly key: string }
  | { readonly table: 'orders'; readonly key: string }
  | { readonly table: 'deals'; readonly key: string }
  | { readonly table: 'settings'; readonly key: string }
  | { readonly table: 'differences' | 'fillNotes'; readonly key: number }
  | { readonly table: 'batches'; readonly key: string }
  | { readonly table: 'denials'; readonly key: string }
  | { readonly table: 'records' | 'equityMinutes'; readonly key: number; readonly row: unknown }
  | {
      readonly table: 'equityDays' | 'sales' | 'closedPositions'
      readonly key: string
      readonly row: unknown
    }
  | { readonly table: 'costBooks'; readonly key: string }
  | { readonly table: 'gridSessions'; readonly key: number }
  | { readonly table: 'gridOrders' | 'gridTemplates'; readonly key: string }
  | {
      readonly table: 'gridTrades' | 'gridLots' | 'gridMatches'
      readonly key: string
      readonly row: unknown
    }
