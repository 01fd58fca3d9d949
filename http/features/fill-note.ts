import { z } from 'zod'
import { ServiceError } from '../../src/domain/errors.ts'
import { within } from '../desk/context.ts'
import { withBoth } from '../message/in-both.ts'
import type { Feature } from './feature.ts'

const RECORD_ID = /^\d{1,15}$/
const CONTROL = /[^\P{Cc}\n]/u
const NO_TEXT = '须为文字或 null，null 表示没有备注 (must be a text or null; null is no note)'

/** Half a surrogate pair would be another text once it is written: what is kept is what was sent. */
const text = z
  .string({ error: NO_TEXT })
  .refine((value) => value.isWellFormed(), {
    error: '含有残缺的字符 (has half of a character)',
    abort: true,
  })
  .refine((value) => !CONTROL.test(value), {
    error: '除换行外不能含控制字符 (must have no control characters but line feeds)',
  })
  .nullable()

const body = z
  .strictObject({
    note: text.describe(
      'without blanks around it at most limits.account.fill_note_chars_max characters; null or blank deletes it',
    ),
    expected: text.describe('the note as it was seen, null = none; another one by now is 409'),
  })
  .meta({ examples: [{ note: '按计划减仓 (as planned)', expected: null }] })

const noted = z
  .object({
    id: z.int().describe('of the trade record'),
    note: z.string().nullable().describe('as it stands now'),
    is_changed: z.boolean().describe('false: it was the same before'),
    message: z.string(),
  })
  .meta({ id: 'FillNoted' })

const DONE = {
  same: '备注没有变化 (the note is the same)',
  written: '备注已保存 (the note is saved)',
  deleted: '备注已删除 (the note is deleted)',
} as const

/** The note that a person writes beside a trade record. On the gateway it is only read. */
export const fillNote: Feature = (on) => {
  if (on.backend === 'gateway') return []
  const { account, limits, source } = on
  return [
    account.ofAccount({
      method: 'PUT',
      path: '/fills/{fill_id}/note',
      scope: 'trade',
      summary: '写、改或删成交备注 (write, change or delete the note beside a trade record)',
      answer: account.envelope.answer(noted),
      params: z.object({ fill_id: z.string().describe('the id of the record in GET /api/fills') }),
      body,
      handle: async (
        { request, params: { fill_id: fillId }, body: { note: wanted, expected } },
        link,
      ) => {
        if (!RECORD_ID.test(fillId)) {
          throw new ServiceError('UNKNOWN_FILL', '没有这条成交记录 (there is no such trade record)')
        }
        const note = wanted?.trim() || null
        const { isChanged } = await link.ask(
          {
            kind: 'noteFill',
            fillId: Number(fillId),
            note,
            expected: expected || null,
            source: source(request),
          },
          within(limits.commandTimeoutMs, request),
        )
        const message = isChanged ? DONE[note === null ? 'deleted' : 'written'] : DONE.same
        return account.envelope.reply(
          withBoth({ id: Number(fillId), note, is_changed: isChanged, message }),
        )
      },
    }),
  ]
}
