import { decode, encode } from '../../protocol/codec.ts'
import { inboxPrefix, NODE_ID, surveySubject } from '../protocol/subjects.ts'
import type { Line, Stop } from './line.ts'

export interface SurveyLimits {
  /** Surveys of others that this node works on at a time; one more is not answered. */
  readonly openMax: number
  /** Longest answer. A longer one is not sent: who asked names this node as one that did not answer. */
  readonly bytesMax: number
}

/** One question to all nodes at once. */
export interface Survey {
  readonly what: string
  /** Who is waited for. Others are heard, too. */
  readonly expected: readonly string[]
  readonly timeoutMs: number
}

interface Asked {
  readonly from: string
  readonly timeoutMs: number
}
interface Answered {
  readonly node: string
  readonly bytes: Uint8Array
}

/** Answers within `timeoutMs`, or not at all. */
export type AnswerSurvey = (timeoutMs: number) => Promise<Uint8Array>

const INBOXES = '_INBOX_'

/** Questions to all nodes of a cluster at once, and the answers to those of others. */
export class Surveys {
  readonly #line: Line
  readonly #node: string
  readonly #limits: SurveyLimits
  #open = 0

  constructor(line: Line, node: string, limits: SurveyLimits) {
    this.#line = line
    this.#node = node
    this.#limits = limits
  }

  /** What came in by the end of its time, by node; sooner, once everybody who is expected has answered. */
  async gather({ what, expected, timeoutMs }: Survey): Promise<ReadonlyMap<string, Uint8Array>> {
    const answers = new Map<string, Uint8Array>()
    if (!this.#line.isOpen || expected.length === 0) return answers
    const done = Promise.withResolvers<void>()
    const inbox = this.#line.newInbox(inboxPrefix(this.#node))
    const stop = this.#line.subscribe(inbox, ({ data }) => {
      const answer = readAnswer(data)
      if (answer !== undefined && !answers.has(answer.node)) answers.set(answer.node, answer.bytes)
      if (expected.every((node) => answers.has(node))) done.resolve()
    })
    const timer = setTimeout(done.resolve, timeoutMs)
    const asked: Asked = { from: this.#node, timeoutMs }
    this.#line.connection.publish(surveySubject(what), encode(asked), { reply: inbox })
    await done.promise
    clearTimeout(timer)
    stop()
    return answers
  }

  /** Answers surveys of other nodes, until it is stopped. */
  serve(what: string, answer: AnswerSurvey): Stop {
    return this.#line.subscribe(surveySubject(what), ({ data, reply }) => {
      const asked = readAsked(data)
      // Anything else would have us write where the asker may not.
      if (asked === undefined || reply?.startsWith(INBOXES) !== true) return
      if (asked.from === this.#node || this.#open >= this.#limits.openMax) return
      this.#open++
      answer(asked.timeoutMs)
        .then((bytes) => {
          const answered = encode({ node: this.#node, bytes } satisfies Answered)
          if (answered.length <= this.#limits.bytesMax) this.#line.publish(reply, answered)
        })
        .catch(() => undefined) // who asked names this node
        .finally(() => this.#open--)
    })
  }
}

/** Undefined for what is none: it comes from another computer. */
function read<T>(bytes: Uint8Array, isOne: (value: Partial<T>) => boolean): T | undefined {
  try {
    const value = decode<Partial<T> | null>(bytes)
    return typeof value === 'object' && value !== null && isOne(value) ? (value as T) : undefined
  } catch {
    return undefined
  }
}
const isNode = (value: unknown): boolean => typeof value === 'string' && NODE_ID.test(value)
const readAsked = (bytes: Uint8Array) =>
  read<Asked>(bytes, ({ from, timeoutMs }) => isNode(from) && Number.isFinite(timeoutMs))
const readAnswer = (bytes: Uint8Array) =>
  read<Answered>(bytes, ({ node, bytes: told }) => isNode(node) && told instanceof Uint8Array)
