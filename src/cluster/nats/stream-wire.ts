import { CODES, EngineError, failureOf } from './engine-error.ts'
import type { Headers, Line } from './line.ts'

/** What stands in a stream. */
export interface Stored {
  readonly seq: number
  readonly subject: string
  readonly bytes: Uint8Array
  /** When the servers took it, by their clock; epoch ms. */
  readonly timeMs: number
  /** Headers as they stand there, undecoded; empty when it has none. */
  readonly headers: string
}

/** Which message is meant: the last of a subject, or the first of it from a sequence on. */
export type Query =
  | { readonly last_by_subj: string }
  | { readonly seq: number; readonly next_by_subj: string }

const EXPECTED_LAST = 'Nats-Expected-Last-Subject-Sequence'
const encoder = new TextEncoder()

/**
 * Writes on condition that the last message of the subject has this sequence (0: there is none), once, without a
 * second attempt. Answers the new sequence.
 *
 * Errors  EngineError. None of them proves that nothing was written.
 */
export async function appendIf(
  line: Line,
  to: { subject: string; expectedSeq: number; headers?: Headers },
  bytes: Uint8Array,
  timeoutMs: number,
): Promise<number> {
  const headers = { ...to.headers, [EXPECTED_LAST]: String(to.expectedSeq) }
  const answer = parseAnswer((await line.request(to.subject, bytes, { timeoutMs, headers })).data)
  return wholeNumber(answer['seq'], 'seq')
}

/** Reads from the leader of the stream. Undefined when there is no such message. Errors  EngineError. */
export async function readStored(
  line: Line,
  stream: string,
  query: Query,
  timeoutMs: number,
): Promise<Stored | undefined> {
  const subject = `$JS.API.STREAM.MSG.GET.${stream}`
  const { data } = await line.request(subject, encoder.encode(JSON.stringify(query)), { timeoutMs })
  try {
    return parseStored(parseAnswer(data)['message'])
  } catch (error) {
    if (error instanceof EngineError && error.code === CODES.noMessage) return undefined
    throw error
  }
}

/** Removes the messages of a subject in front of this sequence, and answers how many. Errors  EngineError. */
export async function purgeBefore(
  line: Line,
  from: { stream: string; subject: string; seq: number },
  timeoutMs: number,
): Promise<number> {
  const wanted = { filter: from.subject, seq: from.seq }
  const subject = `$JS.API.STREAM.PURGE.${from.stream}`
  const { data } = await line.request(subject, encoder.encode(JSON.stringify(wanted)), {
    timeoutMs,
  })
  return wholeNumber(parseAnswer(data)['purged'], 'purged')
}

function parseAnswer(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const answer = asFields(parseJson(bytes))
  const error = answer['error']
  if (error === undefined) return answer
  const fields = asFields(error)
  const code = typeof fields['err_code'] === 'number' ? fields['err_code'] : 0
  throw new EngineError(failureOf(code), textOf(code, String(fields['description'] ?? '')), code)
}

function textOf(code: number, words: string): string {
  const failure = failureOf(code)
  const said = `“${words}” ${code}`
  if (failure === 'full') {
    return `集群服务器的存储已满，不再接受新的记录：请清理已有快照的旧记录或增大 max_bytes (the servers of the cluster have no room and take nothing new: purge what snapshots cover, or raise max_bytes) ${said}`
  }
  if (failure === 'unavailable') {
    return `集群服务器拒绝了请求 (the servers of the cluster refused) ${said}`
  }
  return `写入位置已变化 (the place was written meanwhile) ${said}`
}

function parseStored(value: unknown): Stored {
  const fields = asFields(value)
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '')
  return {
    seq: wholeNumber(fields['seq'], 'seq'),
    subject: text('subject'),
    timeMs: Date.parse(text('time')),
    bytes: Buffer.from(text('data'), 'base64'),
    headers: Buffer.from(text('hdrs'), 'base64').toString(),
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString())
  } catch {
    throw unreadable('JSON')
  }
}

function asFields(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw unreadable('fields')
  return value as Readonly<Record<string, unknown>>
}

function wholeNumber(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw unreadable(name)
}

/** Whoever answers so is no JetStream: what became of the request is not known. */
const unreadable = (what: string): EngineError =>
  new EngineError(
    'ambiguous',
    `集群服务器的答复无法识别 (the servers of the cluster answered what cannot be read) ${what}`,
  )
