import type { Msg } from '@nats-io/nats-core'
import { callSubject, callSubjects } from '../protocol/subjects.ts'
import { EngineError } from './engine-error.ts'
import { KeptAnswers, type Ticket } from './kept-answers.ts'
import type { Line, Stop } from './line.ts'

/**
 * How a call to another node failed.
 *
 * `not_executed`  nobody has received it, or whoever has is too busy and has not begun: it may be sent again
 * `unknown`       it was sent, and nobody knows what became of it: it must not be sent again
 */
export class CallError extends Error {
  readonly outcome: 'not_executed' | 'unknown'

  constructor(outcome: 'not_executed' | 'unknown', text: string) {
    super(text)
    this.name = 'CallError'
    this.outcome = outcome
  }
}

export interface CallLimits {
  /** Calls that one account works on at a time; further ones are refused unexecuted. */
  readonly perAccountMax: number
  /** Calls that this node works on at a time. */
  readonly perNodeMax: number
  /** Longest call, and longest part of an answer. */
  readonly bytesMax: number
  /** Longest answer. */
  readonly answerBytesMax: number
  /** Of all answers of this node that wait to be fetched by their callers. */
  readonly keptBytesMax: number
  /** An answer that nobody has fetched anything of for so long is forgotten. ms */
  readonly keepMs: number
}

export interface Callee {
  readonly node: string
  readonly inc: string
  readonly acct: string
}

/** Answers the bytes of the answer. Errors of its own are an answer too: what it throws the caller learns nothing of. */
export type Serve = (acct: string, bytes: Uint8Array) => Promise<Uint8Array>

const INBOXES = '_INBOX_'
const BUSY = 'Steward-Busy'
const NO_ROOM = 'Steward-Answer-Too-Long'
/** Of an answer: where the rest of it is kept, and in how many parts. Of a call: which part is fetched. */
const TICKET = 'Steward-Ticket'
const PARTS = 'Steward-Parts'
const PART = 'Steward-Part'
const NOTHING = new Uint8Array(0)
const NOBODY_HEARD =
  '该节点未收到请求，未执行任何操作 (that node has not received it, nothing was executed)'
const TOO_BUSY =
  '该节点请求过多，本次未执行，请稍后再试 (that node has too much to do; this one was not executed: try again later)'
const TOO_LONG = '请求过长，未发送 (the call is too long and was not sent)'
const ANSWER_TOO_LONG =
  '答复过长，无法送达，但请求已执行：请缩小范围再查询 (it was executed, but its answer is too long to be sent: ask for less)'
const NO_ANSWER =
  '该节点未在限时内答复，结果未知：请以同一编号查询 (that node did not answer in time and the outcome is not known: ask again with the same id)'

/** Calls between the nodes of a cluster, and the answers to those that arrive here. */
export class Calls {
  readonly #line: Line
  readonly #limits: CallLimits
  readonly #kept: KeptAnswers
  readonly #open = new Map<string, number>()
  #openOfNode = 0

  constructor(line: Line, limits: CallLimits) {
    this.#line = line
    this.#limits = limits
    const { bytesMax: partBytesMax, keptBytesMax, keepMs } = limits
    this.#kept = new KeptAnswers({ partBytesMax, keptBytesMax, keepMs })
  }

  /** Sent once; what one message has no room for is fetched behind its first part. Errors  CallError. */
  async request(to: Callee, bytes: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    if (bytes.length > this.#limits.bytesMax) throw new CallError('not_executed', TOO_LONG)
    const subject = callSubject(to.node, to.inc, to.acct)
    const untilMs = performance.now() + timeoutMs
    const answer = await this.#line.request(subject, bytes, { timeoutMs }).catch((error) => {
      throw failedCall(error)
    })
    if (answer.headers?.get(BUSY)) throw new CallError('not_executed', TOO_BUSY)
    if (answer.headers?.get(NO_ROOM)) throw new CallError('unknown', ANSWER_TOO_LONG)
    const id = answer.headers?.get(TICKET)
    if (!id) return answer.data
    const parts = Number(answer.headers?.get(PARTS))
    if (!this.#canTake(parts)) throw new CallError('unknown', ANSWER_TOO_LONG)
    return this.#fetch(subject, { id, parts }, { first: answer.data, untilMs })
  }

  #canTake(parts: number): boolean {
    const { bytesMax, answerBytesMax } = this.#limits
    return Number.isSafeInteger(parts) && parts > 1 && (parts - 1) * bytesMax < answerBytesMax
  }

  /** One part after the other: the connection of the caller never has more than one of them to take. */
  async #fetch(
    subject: string,
    { id, parts }: Ticket,
    { first, untilMs }: { readonly first: Uint8Array; readonly untilMs: number },
  ): Promise<Uint8Array> {
    const read = [first]
    while (read.length < parts) {
      const timeoutMs = Math.floor(untilMs - performance.now())
      if (timeoutMs <= 0) throw new CallError('unknown', NO_ANSWER)
      const headers = { [TICKET]: id, [PART]: `${read.length}` }
      const asked = this.#line.request(subject, NOTHING, { timeoutMs, headers })
      // The call itself was carried out, whatever becomes of its answer.
      const part = await asked.catch(() => {
        throw new CallError('unknown', NO_ANSWER)
      })
      if (part.headers?.get(NO_ROOM)) throw new CallError('unknown', NO_ANSWER)
      read.push(part.data)
    }
    return Buffer.concat(read)
  }

  /**
   * Answers calls to the accounts of this life of a node, until it is stopped. `onUndelivered` is told the calls whose
   * callers were gone when their answers came.
   */
  serve(
    self: { node: string; inc: string },
    serve: Serve,
    onUndelivered: (acct: string, bytes: Uint8Array) => void = () => undefined,
  ): Stop {
    const subjects = callSubjects(self.node, self.inc)
    return this.#line.subscribe(subjects, (message) => {
      const { subject, data, reply } = message
      // Anything else would have us write where the caller may not, such as into a journal.
      if (reply?.startsWith(INBOXES) !== true) return
      if (message.headers?.get(TICKET)) return this.#answerPart(reply, message)
      const acct = subject.slice(subjects.length - 1)
      if (!this.#begin(acct)) return this.#line.publish(reply, NOTHING, { [BUSY]: '1' })
      serve(acct, data)
        .then((answer) => this.#answer(reply, answer, () => onUndelivered(acct, data)))
        // The caller's time runs out: it learns that the outcome is not known, which is so.
        .catch(() => undefined)
        .finally(() => this.#end(acct))
    })
  }

  #answer(reply: string, answer: Uint8Array, onNobody: () => void): void {
    const { bytesMax, answerBytesMax } = this.#limits
    if (answer.length <= bytesMax) return this.#line.deliver(reply, answer, { onNobody })
    const ticket = answer.length <= answerBytesMax ? this.#kept.keep(answer) : undefined
    const first = ticket && this.#kept.part(ticket.id, 0)
    if (first === undefined) return this.#line.publish(reply, NOTHING, { [NO_ROOM]: '1' })
    const headers = { [TICKET]: ticket?.id ?? '', [PARTS]: `${ticket?.parts}` }
    this.#line.deliver(reply, first, { headers, onNobody })
  }

  #answerPart(reply: string, { headers }: Msg): void {
    const part = this.#kept.part(headers?.get(TICKET) ?? '', Number(headers?.get(PART)))
    if (part === undefined) this.#line.publish(reply, NOTHING, { [NO_ROOM]: '1' })
    else this.#line.publish(reply, part)
  }

  #begin(acct: string): boolean {
    const count = this.#open.get(acct) ?? 0
    const { perAccountMax, perNodeMax } = this.#limits
    if (count >= perAccountMax || this.#openOfNode >= perNodeMax) return false
    this.#open.set(acct, count + 1)
    this.#openOfNode++
    return true
  }

  #end(acct: string): void {
    const count = (this.#open.get(acct) ?? 1) - 1
    if (count === 0) this.#open.delete(acct)
    else this.#open.set(acct, count)
    this.#openOfNode--
  }
}

function failedCall(error: unknown): CallError {
  const isUnsent = error instanceof EngineError && error.failure === 'unavailable'
  return isUnsent
    ? new CallError('not_executed', NOBODY_HEARD)
    : new CallError('unknown', NO_ANSWER)
}
