import { z } from 'zod'
import { saidOf } from '../../src/domain/error-words.ts'
import type { WireError } from '../../src/domain/errors.ts'
import { inBoth } from '../../src/domain/in-both.ts'

/** The texts of answers that stand beside themselves in each language alone. */
const TEXT = 'message'

/**
 * An answer with its `message` as it always was, and beside it `message_zh` and `message_en`. Without a message it
 * is the same object.
 */
export function withBoth<T extends object>(answer: T): T {
  const message = (answer as Readonly<Record<string, unknown>>)[TEXT]
  if (typeof message !== 'string') return answer
  const { zh, en } = inBoth(message)
  return { ...answer, message_zh: zh, message_en: en }
}

/** A failure within an answer, which the answer outlives: its code and what people are told of it. */
export function faultOf<F extends Pick<WireError, 'code' | 'message'>>(failure: F) {
  const { code } = failure
  const message = saidOf(failure)
  const { zh, en } = inBoth(message)
  return { code, message, message_zh: zh, message_en: en }
}

/** Fields of an answer that has a text, for each language alone. */
export const inEach = <N extends string>(name: N) =>
  ({
    [`${name}_zh`]: z.string().describe('in Chinese alone'),
    [`${name}_en`]: z.string().describe('in English alone'),
  }) as Record<`${N}_zh` | `${N}_en`, z.ZodString>

interface Described {
  type?: unknown
  properties?: Record<string, unknown>
}

/** The same for the description of an answer: whatever has a message may have it in each language. */
export function describeBoth(schema: Described): void {
  const { properties } = schema
  const text = properties?.[TEXT] as { readonly type?: unknown } | undefined
  if (properties === undefined || text?.type !== 'string') return
  properties['message_zh'] ??= { type: 'string', description: 'the message in Chinese alone' }
  properties['message_en'] ??= { type: 'string', description: 'the message in English alone' }
}
