import { z } from 'zod'
import { statusAnswer } from './envelope.ts'

/** Of the broker. */
export const number = z
  .union([z.int(), z.string()])
  .describe('number of the trading client; text when too long for a JSON number')

/** One order as the answers of both backends show it. */
export const orderAnswer = z
  .object({
    order_id: number.nullable(),
    client_order_id: z.string(),
    status: z.enum(['accepted', 'rejected', 'unknown']),
    message: z.string(),
    refusal_code: z.string().optional(),
    refusal_explanation: z.string().optional(),
  })
  .meta({ id: 'OrderAnswer' })

/** What an order in doubt is told with. */
export const unknownOrder = {
  state: z.literal('unknown').describe('with 202: repeat with the same key'),
  order_id: z.null(),
  client_order_id: z.string(),
  message: z.string().describe('that it has not failed, and how to ask what became of it'),
  location: z
    .string()
    .describe('address that tells what became of it, or of all orders of the request'),
}

/** What has come of orders by hand in direct mode. */
export const executed = statusAnswer(
  z.object({
    state: z
      .enum(['unknown', 'queued'])
      .optional()
      .describe('with 202: repeat with the same key; queued: some still wait for their turn'),
    order_id: unknownOrder.order_id.optional(),
    location: unknownOrder.location.optional(),
    message: z.string(),
    success_count: z.int(),
    total_count: z.int(),
    client_order_id: z.string(),
    orders: z.array(orderAnswer),
    queued: z
      .array(z.object({ client_order_id: z.string(), stock_code: z.string() }))
      .optional()
      .describe('still to be sent, the first one first; they can be canceled'),
  }),
)
