import type { Mutant } from './mutant.ts'

/** What is written, by whom, before what, and how it is proven. */
export const STORAGE_MUTANTS: readonly Mutant[] = [
  {
    id: 'send-before-saving',
    cost: 'a crash forgets an order that has left, and it is sent again',
    file: 'actors/account/commits.ts',
    text: '      if (outgoing.durable !== undefined) await outgoing.durable // a failed one ends the thread\n',
    becomes: '',
    test: [
      'test/simulation/save-before-send.test.ts',
      'an order leaves once its intent is on disk, and not before',
    ],
  },
  {
    id: 'no-epoch-fence',
    cost: 'a process that slept wakes up and writes into an account that another one runs',
    file: 'src/storage/account-database.ts',
    text: 'epoch === this.#claimed && epoch === newest) return null',
    becomes: 'epoch === this.#claimed && newest > 0) return null',
    test: [
      'test/storage/store-actor.test.ts',
      'a later claim fences the earlier owner: refused, nothing written, for ever',
    ],
  },
  {
    id: 'chain-is-not-followed',
    cost: 'an entry is taken out of the journal and nobody sees it',
    file: 'src/storage/journal-chain.ts',
    text: "  if (!isSame(entry.previous, last.hash)) return 'WRONG_PREVIOUS'\n",
    becomes: '',
    test: ['test/storage/journal-chain.test.ts', 'a removed, moved or forged entry is found'],
  },
  {
    id: 'no-checksum',
    cost: 'a damaged row is a holding, a price or a key',
    file: 'src/storage/environment.ts',
    text: '  return crc32(value) === expected ? value : undefined\n',
    becomes: '  return expected >= 0 ? value : undefined\n',
    test: ['test/storage/sealed.test.ts', 'one flipped bit is always seen'],
  },
  {
    id: 'lost-database-begins-anew',
    cost: 'an account whose file is gone starts with empty books and trades',
    file: 'src/storage/environment.ts',
    text: 'if (isMarked && !hasBytes(data)) throw',
    becomes: 'if (isMarked && data === "") throw',
    test: [
      'test/storage/account-database.test.ts',
      'a database that was emptied or lost is refused, not begun anew',
    ],
  },
  {
    id: 'after-a-failed-commit',
    cost: 'what was decided on a commit that failed is acted upon',
    file: 'src/storage/store-client.ts',
    text: '      this.#failed ??= asFailure(error)\n    }\n    if (this.#failed !== undefined) throw this.#failed\n',
    becomes: '      throw asFailure(error)\n    }\n',
    test: [
      'test/storage/store-client.test.ts',
      'a commit that was sent after a failed one fails too, whatever its answer',
    ],
  },
  {
    id: 'private-extensions',
    cost: 'the sidecar cannot read what it is told, and no order reaches the client',
    file: 'src/protocol/codec.ts',
    text: 'useRecords: false, mapsAsObjects: true',
    becomes: 'useRecords: true, mapsAsObjects: true',
    test: [
      'test/drivers/xt/pythons.test.ts',
      'what this side packs, the other side reads, and the other way round',
    ],
  },
  {
    id: 'heads-are-not-compared',
    cost: 'a journal that was rewritten with all its hashes is called sound',
    file: 'src/service/audit-heads.ts',
    text: '    const other = told.find(({ head }) => head !== found)\n',
    becomes: '    const other = told.find(({ head }) => head === "" || found === "")\n',
    test: [
      'test/service/audit-heads.test.ts',
      'what was published proves what a chain alone cannot',
      'a journal rewritten with every hash is found by a head alone',
    ],
  },
  {
    id: 'any-signature',
    cost: 'a head that somebody made up counts as signed',
    file: 'src/storage/published-head.ts',
    text: "  verify(null, statementOf({ ...head, account }), key, Buffer.from(head.signature, 'base64'))\n",
    becomes: '  key.type !== "private" && account !== ""\n',
    test: [
      'test/service/audit-heads.test.ts',
      'what was published proves what a chain alone cannot',
      'a head that was changed is no head',
    ],
  },
  {
    id: 'called-before-written',
    cost: 'a sidecar killed in the middle of a call sends the order again',
    file: 'src/drivers/xt/sidecar/trader.py',
    text: '            self._journal.intend(own, wanted)\n',
    becomes: '            pass\n',
    test: [
      'test/drivers/xt/faults.test.ts',
      'a sidecar killed at any step of an order loses nothing and doubles nothing',
    ],
  },
  {
    id: 'barrier-through-a-standing-call',
    cost: 'an order that stands in the library is called absent and sold again; then it arrives',
    file: 'src/drivers/xt/sidecar/trader.py',
    text: '        count = self._standing()\n',
    becomes: '        count = 0\n',
    test: [
      'test/drivers/xt/barrier.test.ts',
      'a call outlives its session and its account’s thread, and holds the barrier of the next',
    ],
  },
  {
    id: 'barrier-without-a-word',
    cost: 'an order of which the library has said nothing yet is called absent',
    file: 'src/drivers/xt/sidecar/trader.py',
    text: '            self._untold[own] = session\n',
    becomes: '            pass\n',
    test: [
      'test/drivers/xt/barrier.test.ts',
      'a response that is lost holds the barrier until its row is seen',
    ],
  },
  {
    id: 'remark-of-the-beginning',
    cost: 'a row of ours cannot be told by the end of its id, which is what clients keep',
    file: 'src/drivers/xt/sidecar/journal.py',
    text: '    return client_order_id[-20:]\n',
    becomes: '    return client_order_id[:20]\n',
    test: [
      'test/drivers/xt/restore.test.ts',
      'a row whose order nobody remembers here shows the end of the id that it bears',
    ],
  },
  {
    id: 'replay-does-not-wait',
    cost: 'two runs of one recording come to different orders',
    file: 'actors/market/feed.ts',
    text: '    parties.wake(PAPER_SLOT)\n    await this.#exactlyDecided()\n',
    becomes: '    parties.wake(PAPER_SLOT)\n',
    test: [
      'test/market/market.actor.test.ts',
      'the paper client hears of a tick before the accounts do',
    ],
  },
  {
    id: 'reader-before-own-commits',
    cost: 'an account reads past its own last words, and clears or shows less than it has',
    file: 'src/storage/store-client.ts',
    text: "    if (this.#commitsOpen > 0) await this.#read<'settle'>({ kind: 'settle' })\n",
    becomes: '',
    test: [
      'test/storage/reader-thread.test.ts',
      'a reader sees what was committed, and what was sent before it asked',
    ],
  },
]
