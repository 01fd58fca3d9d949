import t from 'tap'
import { v1Asset, v1Orders } from '../../../src/account/answers/gateway.ts'
import type { View, ViewInputs } from '../../../src/account/answers/view.ts'
import { emptyState } from '../../../src/account/model/state.ts'
import type { AccountType } from '../../../src/domain/account-type.ts'
import { Bench, policy } from '../fixture.ts'

const NUMBERS = { STOCK: 2, FUTURE: 1, CREDIT: 3 } as const satisfies Record<AccountType, number>

t.test('every kind of account is shown by the number that the broker has for it', async (t) => {
  for (const [kind, number] of Object.entries(NUMBERS)) {
    const bench = new Bench(emptyState({ ...policy, accountType: kind as AccountType })).ready()
    bench.place()
    const { state, nowMs } = bench
    const inputs = { state, nowMs, row: () => ({}) } as unknown as ViewInputs
    const seen = (view: View) => JSON.parse(JSON.stringify(view(inputs))).data
    t.match(seen(v1Asset), { 账号类型: number })
    t.match(seen(v1Orders).orders, [{ 账号类型: number }])
  }
})
