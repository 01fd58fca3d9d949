import { readControl } from '../node/encoded.ts'
import type { ControlEntry } from '../protocol/effects.ts'
import type { NodeRecord, PlacementRecord } from '../protocol/records.ts'
import { CONTROL_BUCKET, parseControlKey } from '../protocol/subjects.ts'
import type { KvEntry } from './kv.ts'
import { type KvWatch, type KvWatchLimits, watchKeys } from './kv-watch.ts'
import type { Line } from './line.ts'

/** What stands in the control bucket, as it is told. All of it is a hint. */
export interface ControlWatcher {
  onNode(record: NodeRecord, revision: number): void
  onPlacement(acct: string, entry: ControlEntry<PlacementRecord>): void
  /** Somebody has removed it by hand. */
  onPlacementRemoved(acct: string, revision: number): void
  /** Registrations and settings, as bytes: what is in them is decided elsewhere. */
  onOther(key: string, entry: KvEntry | undefined): void
  /** What stands under a key is nothing that this version reads. */
  onUnreadable(key: string, revision: number): void
  onCurrent(): void
  onStalled(): void
}

/** Everything in the bucket, in one order: nodes before the placements that they wrote. */
const PREFIXES = ['n.', 'a.', 'r.', 'cfg.']

/** Follows the control bucket until it is stopped. */
export function watchControl(
  line: Line,
  { inboxPrefix, limits }: { inboxPrefix: string; limits: KvWatchLimits },
  watcher: ControlWatcher,
): KvWatch {
  const wanted = { bucket: CONTROL_BUCKET, prefixes: PREFIXES, inboxPrefix, limits }
  return watchKeys(line, wanted, {
    onEntry: (key, entry, revision) => tell(watcher, key, { entry, revision }),
    onCurrent: () => watcher.onCurrent(),
    onStalled: () => watcher.onStalled(),
  })
}

interface Told {
  readonly entry: KvEntry | undefined
  readonly revision: number
}

function tell(watcher: ControlWatcher, key: string, { entry, revision }: Told): void {
  const about = parseControlKey(key)
  if (about?.kind !== 'node' && about?.kind !== 'placement') return watcher.onOther(key, entry)
  if (entry === undefined) {
    // A record of a node that was removed says nothing: its writer is waited for, as after a silence.
    return about.kind === 'placement' ? watcher.onPlacementRemoved(about.acct, revision) : undefined
  }
  const value = readControl(key, entry.bytes)
  if (value === undefined) return watcher.onUnreadable(key, revision)
  if (about.kind === 'node') return watcher.onNode(value as NodeRecord, revision)
  return watcher.onPlacement(about.acct, { value: value as PlacementRecord, revision })
}
