import t from 'tap'
import { registrationSchema } from '../../../src/config/account.ts'
import { encode } from '../../../src/protocol/codec.ts'
import type { StoreControl } from '../../../src/protocol/store.ts'
import {
  KeptRegistrations,
  type KeptRegistrationsDeps,
} from '../../../src/service/accounts/kept-registrations.ts'

const registration = (account_id: string) =>
  registrationSchema.parse({ account_id, qmt_path: 'C:/qmt' })

/** Gateways on one data folder. */
function folder(rows = new Map<string, Uint8Array>()) {
  const records = async (request: StoreControl): Promise<unknown> => {
    if (request.kind === 'get') return rows.get(request.key) ?? null
    if (request.kind === 'list') {
      const found = [...rows].filter(([key]) => key.startsWith(request.prefix)).toSorted()
      return found.map(([key, value]) => ({ key, value })).slice(0, request.limit)
    }
    if (request.kind !== 'put') throw new Error(request.kind)
    if (request.value === null) rows.delete(request.key)
    else rows.set(request.key, request.value)
    return null
  }
  const unread: string[] = []
  const returned: string[] = []
  let nowMs = Date.parse('2026-08-11T10:00:00+08:00')
  const gateway = () =>
    new KeptRegistrations({
      records: records as KeptRegistrationsDeps['records'],
      nowMs: () => ++nowMs,
      max: 10,
      onUnread: (accountId) => void unread.push(accountId),
      onReturned: (accountId) => void returned.push(accountId),
    })
  const ids = async () => (await gateway().load()).map(({ account_id }) => account_id)
  return { rows, gateway, ids, unread, returned }
}

t.test('F248 two gateways on one data folder keep what each of them has registered', async (t) => {
  const { gateway, ids } = folder()
  const [one, other] = [gateway(), gateway()]
  t.strictSame(await one.load(), [])
  t.strictSame(await other.load(), [])
  await one.keep(registration('B'))
  await other.keep(registration('A'))
  await one.keep(registration('C'))
  t.strictSame(await ids(), ['B', 'A', 'C'], 'in their order')
  await other.forget('A')
  await one.forget('nobody')
  t.strictSame(await ids(), ['B', 'C'])
})

t.test('what was forgotten is known to later lives, too', async (t) => {
  const { gateway, returned } = folder()
  const ord = Date.parse('2026-08-11T09:00:00+08:00')
  await gateway().keep(registration('A'), ord)
  await gateway().forget('A')
  await gateway().keep(registration('A'))
  t.strictSame(returned, [], 'registered since')
  await gateway().keep(registration('A'), ord)
  t.strictSame(returned, ['A'])
})

t.test('F248 what was kept in one record is taken apart, once', async (t) => {
  const together = encode([registration('Z'), registration('A')])
  const { gateway, ids, rows } = folder(new Map([['accounts/registered', together]]))
  const one = gateway()
  t.strictSame(await one.load(), [registration('Z'), registration('A')])
  await one.forget('Z')
  await one.keep(registration('B'))
  t.strictSame(await ids(), ['A', 'B'])
  rows.set('accounts/registered/C', encode({ ord: 1, of: 'a later release' }))
  t.strictSame(await ids(), ['A', 'B'])
  t.ok(rows.has('accounts/registered/C'))
})

t.test('F482 an account whose registration this release does not take is told', async (t) => {
  const { gateway, ids, rows, unread } = folder()
  await gateway().keep(registration('A'))
  const ofLater = { ...registration('B'), said_by: 'a later release' }
  rows.set('accounts/registered/B', encode({ ord: 1, registration: ofLater }))
  const device = { ...registration('A'), account_id: 'con' } // was taken once, elsewhere than on Windows
  rows.set('accounts/registered/con', encode({ ord: 2, registration: device }))
  t.strictSame(await ids(), ['A'])
  t.strictSame(unread, ['B', 'con'])
})
