import { z } from 'zod'
import { POLICY } from '../../src/domain/errors.ts'

/** Exchange time as it is answered everywhere. */
export const time = z.string().describe('YYYY-MM-DD HH:MM:SS, Asia/Shanghai')
export const money = z.number().describe('yuan')
export const percentNumber = z.number().describe('percent number: 2.56 means 2.56 %')
export const ratio = z.number().describe('decimal ratio: 0.05 means 5 %')

const status = z.enum(['success', 'error'])

/** The `status` family: the fields at top level, the same again under `data`. */
export const statusAnswer = <S extends z.ZodRawShape>(fields: z.ZodObject<S>) =>
  z.object({ status, ...fields.shape, data: fields, timestamp: time })

/** The `status` family where `data` is something of its own. */
export const dataAnswer = <T extends z.ZodType>(data: T, beside: z.ZodRawShape = {}) =>
  z.object({ status, data, ...beside, timestamp: time })

/** `/api/v1`. */
export const v1Answer = <T extends z.ZodType>(data: T, beside: z.ZodRawShape = {}) =>
  z.object({ success: z.literal(true), data, ...beside, error: z.null() })

/** The one error body of the service. */
export const errorBody = z
  .object({
    success: z.literal(false),
    status: z.literal('error'),
    error: z.string(),
    message: z.string().describe('the same text as error'),
    detail: z.string().describe('the same text as error'),
    code: z.enum(Object.keys(POLICY) as [keyof typeof POLICY]).describe('stable; never renamed'),
    data: z.null().optional().describe('on the gateway'),
    errors: z.array(z.string()).optional().describe('with a validation: all texts'),
    details: z
      .record(z.string(), z.array(z.string()))
      .optional()
      .describe(
        'with a validation: field to texts; with a refusal: client_order_id of the order it is about',
      ),
    timestamp: time,
  })
  .meta({ id: 'Error' })
