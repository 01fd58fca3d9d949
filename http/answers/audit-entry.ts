import { z } from 'zod'
import { inEach } from '../message/in-both.ts'
import { time } from './envelope.ts'

/** One entry of the journal of an account, wherever it is shown. */
export const auditEntry = z
  .object({
    seq: z.int(),
    time,
    epoch: z.int().describe('of the process that wrote it'),
    kind: z.string(),
    source: z.string().describe('who caused it'),
    summary: z.string(),
    ...inEach('summary'),
    body: z.unknown().describe('the event, money in yuan'),
    hash: z.string(),
    previous: z.string().describe('hash of the entry before'),
  })
  .meta({ id: 'AuditEntry' })
