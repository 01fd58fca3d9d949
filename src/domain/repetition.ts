import { exchangeTime } from './exchange-time.ts'
import { toldNumber } from './order.ts'
import type { Earlier } from './risk-input.ts'

/** How to go on with an order that came before. */
const askFor = ({ clientOrderId }: Earlier): string =>
  `以 ${clientOrderId} 为 Idempotency-Key 重发同一请求，或查询该委托，即可获知结果`
const ASK_FOR =
  'repeat the same request with that as Idempotency-Key, or ask for that order, to learn what became of it'

/** What is said to a person whose order may be the repetition of an earlier one. */
export function repetition(earlier: Earlier): {
  readonly code: 'ORDER_IN_DOUBT_HELD' | 'ORDER_UNTOLD'
  readonly message: string
} {
  const { clientOrderId: id, status, createdMs } = earlier
  const since = exchangeTime(createdMs)
  if (status === 'inDoubt') {
    const message = `相同委托 ${id}（${since}）结果未知，并非失败，请勿重复下单；${askFor(earlier)} (the same order ${id} of ${since} is in doubt, it has not failed: ${ASK_FOR})`
    return { code: 'ORDER_IN_DOUBT_HELD', message }
  }
  const what = `order_id=${toldNumber(earlier) || 'null'}, state=${status}`
  const message = `相同委托 ${id}（${since}，${what}）已存在，其结果未能告知下单方，请勿重复下单；${askFor(earlier)}；确需再下一笔，请查询之后换用新的 Idempotency-Key (the same order ${id} of ${since} exists, ${what}, and whoever placed it was not told: ${ASK_FOR}; then a new key places another one)`
  return { code: 'ORDER_UNTOLD', message }
}
