import type { Mutant } from './mutant.ts'

/** What is copied and moved into segments, and how it is proven afterwards that nothing was changed. */
export const COPIES_MUTANTS: readonly Mutant[] = [
  {
    id: 'link-is-no-account',
    cost: 'no backup has an account whose folder is a link, and what it did is lost with its disk',
    file: 'src/storage/backup.ts',
    text: 'entry.isDirectory() || isLinkedFolder(dataDir, path)',
    becomes: 'entry.isDirectory()',
    test: [
      'test/service/backups/links.test.ts',
      'F284 an account whose folder is a link is in a backup',
    ],
  },
  {
    id: 'keys-of-one-folder',
    cost: 'after a restore an order at another gateway is unknown here, and may be sent again',
    file: 'src/service/backups/kept-files.ts',
    text: "kept(join(sentFolder('', accountId), SENT_FILE), true)",
    becomes: "kept(join(sentFolder('', accountId), SENT_FILE))",
    test: [
      'test/service/backups/whole.test.ts',
      'F288 tokens, the plan, and keys of orders that were sent are in a backup',
    ],
  },
  {
    id: 'log-gone-is-sound',
    cost: 'a journal whose last entries went with their log is called sound',
    file: 'src/service/audit/audit-tail.ts',
    text: 'return { entries: entries.length, problem: doubt }',
    becomes: 'return { entries: entries.length, problem: undefined }',
    test: [
      'test/service/audit/audit-tail.test.ts',
      'F126 a log that is gone, or does not follow, is no sound journal',
    ],
  },
  {
    id: 'segments-on-a-full-disk',
    cost: 'old entries take the last room of a disk, and a person cannot stop what is under way',
    file: 'src/service/accounts/archive-desk.ts',
    text: 'while (!isDiskLow()) {',
    becomes: 'while (true) {',
    test: [
      'test/service/accounts/archive-desk.test.ts',
      'F491 a disk that is nearly full keeps its last room, and is looked at again',
    ],
  },
  {
    id: 'trim-what-is-in-no-segment',
    cost: 'what an account did leaves the database and is kept nowhere',
    file: 'src/storage/account-database.ts',
    text: 'upTo.seq >= this.#own.head().seq || Buffer.compare(end.hash, upTo.hash) !== 0',
    becomes: 'upTo.seq >= this.#own.head().seq',
    test: [
      'test/storage/archive/archivist.test.ts',
      'what the segment does not hold is never removed',
    ],
  },
  {
    id: 'trim-stops-all-accounts',
    cost: 'a process that sleeps with the lock of one database keeps every account from its stops',
    file: 'src/storage/account-database.ts',
    text: 'await this.#env.writeLater(() => {\n      done.left =',
    becomes: 'this.#env.write(() => {\n      done.left =',
    test: [
      'test/storage/archive/trim.test.ts',
      'F134 nobody waits for old entries that leave a database, however long',
    ],
  },
  {
    id: 'old-by-a-wrong-clock',
    cost: 'a clock that is years ahead deletes the whole audit of an account',
    file: 'src/storage/archive/retention.ts',
    text: 'Math.min(nowMs, end.timeMs)',
    becomes: 'Math.max(nowMs, end.timeMs)',
    test: [
      'test/storage/archive/archivist.test.ts',
      'entries go by age in trading days, by number, and never by a clock that is ahead',
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
    id: 'heads-are-not-compared',
    cost: 'a journal that was rewritten with all its hashes is called sound',
    file: 'src/service/audit/audit-heads.ts',
    text: '    const other = told.find(({ head }) => head !== found)\n',
    becomes: '    const other = told.find(({ head }) => head === "" || found === "")\n',
    test: [
      'test/service/audit/audit-heads.test.ts',
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
      'test/service/audit/audit-heads.test.ts',
      'what was published proves what a chain alone cannot',
      'a head that was changed is no head',
    ],
  },
  {
    id: 'sockets-by-tmpdir',
    cost: 'a restore from another shell sees no service, and two of them trade one account',
    file: 'src/cluster/socket-path.ts',
    text: "(existsSync('/tmp') ? '/tmp' : tmpdir())",
    becomes: 'tmpdir()',
    test: [
      'test/cluster/presence.test.ts',
      'F386 whoever has another folder for temporary files sees who uses the data all the same',
    ],
  },
]
