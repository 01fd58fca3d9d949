import type { ReplicatedJournal } from '../../src/ports/journal.port.ts'
import type { Line } from '../../src/ports/transport.port.ts'
import type { JournalReplies, JournalRequest } from '../../src/protocol/cluster.ts'
import type { KeptSnapshot, ReplicatedBooks, ReplicatedCommit } from '../../src/protocol/journal.ts'

/** The longest timer there is. While there is no quorum a commit waits: nobody may act on it before. */
const FOREVER_MS = 2 ** 31 - 1

/** The journals of a cluster behind a line to its thread, which ends each of these by itself. */
export class JournalClient implements ReplicatedJournal {
  readonly #line: Line

  constructor(line: Line) {
    this.#line = line
  }

  append(accountId: string, commit: ReplicatedCommit, number: number): Promise<number> {
    return this.#ask<'append'>({ kind: 'append', accountId, commit, number })
  }

  read(accountId: string): Promise<ReplicatedBooks> {
    return this.#ask<'read'>({ kind: 'read', accountId })
  }

  async keep(accountId: string, snapshot: KeptSnapshot): Promise<void> {
    await this.#ask<'keep'>({ kind: 'keep', accountId, snapshot })
  }

  #ask<K extends JournalRequest['kind']>(
    request: Extract<JournalRequest, { kind: K }>,
  ): Promise<JournalReplies[K]> {
    return this.#line.ask(request, { timeoutMs: FOREVER_MS, lane: 'system' })
  }
}
