import t from 'tap'
import { type Gathering, gather } from '../../../src/cluster/protocol/commits.ts'
import type { RecordBody } from '../../../src/cluster/protocol/records.ts'
import { recordOf } from './fixtures/values.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)
const part = (index: number, count: number, text: string): RecordBody => ({
  t: 'part',
  index,
  count,
  bytes: bytes(text),
})
const commits = (...texts: readonly string[]): RecordBody => ({
  t: 'commits',
  commits: texts.map(bytes),
})
const EPOCH: RecordBody = { t: 'epoch' }

/** What a successor finds in a journal with these records, each with the epoch of its writer. */
function found(records: readonly (readonly [e: number, body: RecordBody])[]): readonly string[] {
  const texts: string[] = []
  let gathering: Gathering | undefined
  for (const [e, body] of records) {
    const gathered = gather(gathering, recordOf({ e, body }))
    texts.push(...gathered.commits.map((commit) => Buffer.from(commit).toString()))
    gathering = gathered.gathering
  }
  return texts
}

t.test('commits are read in the order in which they stand', async (t) => {
  t.strictSame(
    found([
      [1, EPOCH],
      [1, commits('a', 'b')],
      [1, part(0, 3, 'c')],
      [1, part(1, 3, 'd')],
      [1, part(2, 3, 'e')],
      [1, commits('f')],
      [1, part(0, 2, 'g')],
      [1, part(1, 2, 'h')],
      [1, { t: 'release' }],
      [2, EPOCH],
    ]),
    ['a', 'b', 'cde', 'f', 'gh'],
  )
})

const CUT: readonly (readonly [what: string, ...Parameters<typeof found>])[] = [
  [
    'the writer was overtaken',
    [
      [1, part(0, 2, 'lost')],
      [2, EPOCH],
      [2, commits('kept')],
    ],
  ],
  [
    'its successor begins with parts of its own',
    [
      [1, part(0, 2, 'lost')],
      [2, EPOCH],
      [2, part(0, 2, 'ke')],
      [2, part(1, 2, 'pt')],
    ],
  ],
  [
    'another part of another writer goes on where it ended',
    [
      [1, part(0, 2, 'lost')],
      [2, part(1, 2, 'lost')],
      [2, commits('kept')],
    ],
  ],
  [
    'a part is missing',
    [
      [1, part(0, 3, 'lost')],
      [1, part(2, 3, 'lost')],
      [1, commits('kept')],
    ],
  ],
  [
    'the parts of two are mixed',
    [
      [1, part(0, 2, 'lost')],
      [1, part(1, 3, 'lost')],
      [1, commits('kept')],
    ],
  ],
  [
    'its begin was forgotten',
    [
      [1, part(1, 3, 'lost')],
      [1, part(2, 3, 'lost')],
      [1, commits('kept')],
    ],
  ],
  [
    'the journal ends',
    [
      [1, commits('kept')],
      [1, part(0, 2, 'lost')],
    ],
  ],
]

t.test('F204 a commit that does not stand whole has not happened', async (t) => {
  for (const [what, records] of CUT) t.strictSame(found(records), ['kept'], what)
})
