import { z } from 'zod'
import { FILLS_PAGE_DEFAULT, FILLS_PAGE_MAX, type FillsQuestion } from '../../src/protocol/fills.ts'
import { fillsFields } from '../answers/fills.ts'
import { within } from '../desk/context.ts'
import { dayText } from '../message/day-text.ts'
import { invalid } from '../message/errors.ts'
import { isKnown, notModified, weakTagOfFields } from '../message/validators.ts'
import { wholeNumber } from '../message/whole-number.ts'
import type { Feature } from './feature.ts'

const WORD_MAX = 40
const STRATEGY_MAX = 100

const query = z.object({
  from: dayText.optional().describe('first exchange day'),
  to: dayText.optional().describe('last exchange day'),
  side: z.enum(['BUY', 'SELL']).optional(),
  strategy: z.string().min(1).max(STRATEGY_MAX).optional().describe('as the records name it'),
  word: z
    .string()
    .max(WORD_MAX)
    .optional()
    .describe('part of a code, a name or a note, in any case'),
  limit: wholeNumber(1, FILLS_PAGE_MAX).optional(),
  before: wholeNumber(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('the next_before of an earlier page'),
})

/** Confirmed fills a page at a time, with the sums over all that match. */
export const fills: Feature = ({ account, limits, scans }) => [
  account.ofAccount({
    method: 'GET',
    path: '/fills',
    scope: 'view',
    summary: '成交记录分页与合计，最新在前 (trade records a page at a time, with their sums)',
    answer: account.envelope.dataAnswer(fillsFields),
    query,
    isConditional: true,
    handle: async ({ request, query: asked }, link) => {
      const question = questionOf(asked)
      const read = () =>
        link.ask({ kind: 'fillsAsk', question }, within(limits.readTimeoutMs, request))
      const { fields } = await scans.run(request, read, ({ looked }) => looked)
      const tag = weakTagOfFields(fields)
      if (isKnown(request, tag)) return notModified(tag)
      const reply = account.envelope.dataReply(fields)
      return { ...reply, headers: { ...reply.headers, ETag: tag } }
    },
  }),
]

/** Errors  `VALIDATION` for a span that ends before it begins. */
function questionOf(asked: z.output<typeof query>): FillsQuestion {
  const { from = null, to = null, side, strategy = null, word = '' } = asked
  if (from !== null && to !== null && from > to) {
    throw invalid({ from: [`from: 须不晚于 to (must not be after to, ${to})`] })
  }
  return {
    from,
    to,
    side: side === undefined ? null : side === 'BUY' ? 'buy' : 'sell',
    strategy,
    word: word.trim(),
    limit: asked.limit ?? FILLS_PAGE_DEFAULT,
    before: asked.before ?? null,
  }
}
