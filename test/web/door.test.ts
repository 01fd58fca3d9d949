import t from 'tap'
import { doorAfter } from '../../web/console/door.ts'
import { headersOf } from '../../web/shared/read.ts'

t.test('a page that has met another account asks nothing any more', async (t) => {
  const other = { kind: 'refused', code: 'OTHER_ACCOUNT' } as const
  const token = { kind: 'token', code: 'UNAUTHORIZED' } as const
  const busy = { kind: 'busy', code: 'ACTOR_RESTARTING' } as const
  for (const door of ['checking', 'open', 'token', 'moved'] as const) {
    t.equal(doorAfter(door, other), 'moved', door)
    t.equal(doorAfter(door, token), door === 'moved' ? 'moved' : 'token', door)
    t.equal(doorAfter(door, busy), door, door)
  }
})

t.test('a page names its account once it knows it', async (t) => {
  const target = { base: '', token: '', accountId: '' }
  t.strictSame(headersOf(target), {})
  t.strictSame(headersOf({ ...target, pageAccount: 'A' }), { 'X-Page-Account': 'A' })
})
