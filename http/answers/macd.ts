import { z } from 'zod'
import { statusAnswer, time } from './envelope.ts'

const mean = z.number().nullable().describe('null while the window is short')
const day = z
  .object({
    d: z.string().describe('YYYY-MM-DD'),
    o: z.number(),
    h: z.number(),
    l: z.number(),
    c: z.number(),
    dif: z.number(),
    dea: z.number(),
    hist: z.number(),
    ma8: mean,
    ma34: mean,
    cat: z.int().min(0).max(3).describe('0 strong rise, 1 weak rise, 2 weak fall, 3 strong fall'),
  })
  .meta({ id: 'MacdDay' })

const fields = z
  .object({
    code: z.string(),
    trend: z.string(),
    base_position: z.string(),
    grid: z.string(),
    cross: z.string(),
    dif: z.number(),
    dea: z.number(),
    dea_prev: z.number(),
    updated: z.string().describe('the last completed day'),
    series: z.array(day).describe('at most 60 days'),
  })
  .meta({ id: 'MacdAdvice' })

const none = z
  .object({ status: z.literal('error'), code: z.string(), message: z.string(), timestamp: time })
  .describe('no data')

export const macdAnswer = z.union([statusAnswer(fields), none])
