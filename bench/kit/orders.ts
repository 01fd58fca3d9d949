import type { Job } from './load.ts'
import { accountAt, codeAt } from './service.ts'

/** Whatever is left then is not asked. */
const JOB_MS_MAX = 10_000
/** Below the market and inside the price limits of the day: the order is taken and rests. */
const BODY = `{"stock_code":"${codeAt(0)}","order_type":23,"order_volume":100,"price_type":11,"price":18.5}`

/** Orders of one account through the gateway that are taken and rest; how many and how is the bench's matter. */
export const orderJob = (port: number, index: number) =>
  ({
    ports: [port],
    method: 'POST',
    path: `/api/v1/accounts/${accountAt(index)}/orders`,
    body: BODY,
    ms: JOB_MS_MAX,
  }) as const satisfies Partial<Job>
