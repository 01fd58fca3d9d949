import { prefs } from './prefs.ts'
import type { TableView } from './table.ts'

/** What the reader has chosen for the table of this name; nothing where the browser holds what is no choice. */
export function viewOf(name: string): TableView {
  const { sort, hidden }: TableView = prefs.tables[name] ?? {}
  return {
    sort: typeof sort?.key === 'string' ? sort : undefined,
    hidden: Array.isArray(hidden) ? hidden : [],
  }
}

export function setView(name: string, change: TableView): void {
  prefs.tables[name] = { ...viewOf(name), ...change }
}
