import { z } from 'zod'
import { money } from './envelope.ts'

const yuan = z.number().describe('yuan')
const level = z.array(z.number()).length(5).describe('0 = none')

const tick = z
  .object({
    time: z.int().describe('epoch milliseconds'),
    stock_code: z.string(),
    lastPrice: yuan,
    open: yuan,
    high: yuan,
    low: yuan,
    lastClose: yuan,
    volume: z.number(),
    amount: money,
    bidPrice: level,
    askPrice: level,
    bidVol: level,
    askVol: level,
  })
  .meta({ id: 'Tick' })

const bar = z
  .object({
    time: z.int().describe('YYYYMMDDHHMMSSmmm, the end of the bar; for a day its midnight'),
    open: yuan,
    high: yuan,
    low: yuan,
    close: yuan,
    volume: z.number(),
    amount: money,
  })
  .meta({ id: 'Bar' })

export const tickMap = z.record(z.string(), tick).describe('by the spelling asked with')
export const barMap = z
  .record(z.string(), z.array(bar))
  .describe('by the suffixed code and by the spelling asked with')

export const downloadTicket = z.object({
  accepted: z.literal(true),
  job_id: z.string(),
  state: z.string(),
  stock_code: z.string(),
  period: z.string(),
  start_time: z.string(),
  end_time: z.string(),
})
