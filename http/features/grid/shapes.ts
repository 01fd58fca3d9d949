import { z } from 'zod'
import { ratio, time } from '../../answers/envelope.ts'

const success = z.literal(true)
export const message = z.string()
export const isoTime = z.string().describe('YYYY-MM-DDTHH:MM:SS.ffffff, Asia/Shanghai')
export const shares = z.int().describe('shares')
export const sessionId = z.int()
export const code = z.string().describe('six digits, dot, exchange')

/** The grid family: `success` and the fields at top level, `status` and the same again under `data`. */
export const gridAnswer = <S extends z.ZodRawShape>(fields: S) =>
  z.object({
    success,
    status: z.literal('success'),
    ...fields,
    data: z.object(fields),
    timestamp: time,
  })

/** How a grid is set up, wherever it is shown. */
export const rates = {
  price_interval: ratio,
  position_ratio: ratio,
  callback_ratio: ratio,
  max_deviation: ratio,
  target_profit: ratio,
  stop_loss: ratio,
}
