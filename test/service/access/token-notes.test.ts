import t from 'tap'
import type { TokenChange } from '../../../src/config/token-file.ts'
import { TokenNotes } from '../../../src/service/access/token-notes.ts'
import type { AccountHandle } from '../../../src/service/accounts/account-handle.ts'

const NEVER_MS = 2 ** 31 - 1
const CHANGE: TokenChange = {
  number: 1,
  timeMs: 0,
  act: 'added',
  name: 'desk',
  scope: 'view',
  accounts: [],
  by: 'me',
}

t.test('an account is told once of each change, and anew when it was let go meanwhile', (t) => {
  const asked: unknown[] = []
  const ask = async (request: unknown) => {
    asked.push(request)
    return { noted: 1 }
  }
  const handle = { accountId: '10000001', isOwner: true, ask: ask as AccountHandle['ask'] }
  let handles = [handle]
  let look = () => {}
  const notes = new TokenNotes({
    tokens: {
      changes: [CHANGE],
      onChange: (listener) => {
        look = listener
      },
    },
    handles: () => handles,
    retryMs: NEVER_MS,
    timeoutMs: 1,
    log: { warn: () => undefined } as never,
  })
  t.teardown(() => notes.close())
  notes.start()
  look()
  t.strictSame(asked, [{ kind: 'noteTokens', changes: [CHANGE] }])
  handles = []
  look()
  handles = [handle]
  look()
  t.equal(asked.length, 2, 'its folder may have been moved away, and its journal be another one')
  t.end()
})
