import t from 'tap'
import { tellBrokerTime } from '../../actors/account/broker-time.ts'
import type { BrokerDeal } from '../../src/domain/order.ts'
import { brokerDeal } from '../account/fixture.ts'

const NOW_MS = Date.parse('2026-08-11T10:00:00+08:00')

t.test(
  'F903 what stands in for the time of a deal is no word of the broker about the clock',
  async (t) => {
    const told: number[] = []
    const to = {
      isReal: true,
      clock: { doubt: () => ({ offMs: 86_400_000, sinceMs: NOW_MS }) },
      market: async (request: { readonly timeMs: number }) => void told.push(request.timeMs),
    } as never
    const push = (deal: BrokerDeal) => tellBrokerTime({ kind: 'dealPushed', deal }, to)
    const list = (rows: readonly BrokerDeal[]) =>
      tellBrokerTime(
        {
          kind: 'queryAnswered',
          callId: 1,
          what: 'deals',
          result: { ok: true, value: { what: 'deals', rows } },
        },
        to,
      )
    const dealt = brokerDeal({ timeMs: NOW_MS - 1_000 })
    const undated = { ...brokerDeal({ timeMs: NOW_MS }), isUndated: true } as const
    push(undated)
    list([undated])
    t.strictSame(told, [])
    push(dealt)
    list([dealt, undated])
    t.strictSame(told, [dealt.timeMs, dealt.timeMs])
  },
)
