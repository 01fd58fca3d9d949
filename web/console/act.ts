import { nextTick, reactive } from 'vue'
import { asFault, type Fault } from '../shared/fault.ts'
import { said, saidOr } from '../shared/said.ts'
import { type Notice, withNotice } from './notices.ts'
import { queueOf } from './queue.ts'
import { t } from './texts.ts'

/** A question before something is done. */
export interface Question {
  readonly title: string
  /** Over the changes, where it is not said that something changes. */
  readonly heading?: string
  /** Lines; as a function where they go on while the question is open. */
  readonly changes: readonly string[] | (() => readonly string[])
  readonly keeps?: readonly string[] | (() => readonly string[])
  readonly confirm: string
  readonly isDanger?: boolean
  /** A word that has to be typed. */
  readonly word?: string
  readonly wordLabel?: string
  /** Why yes cannot be said at the moment; undefined = it can. */
  readonly blocked?: () => string | undefined
  /** About more than the account of this page; else its name stands above. */
  readonly isOfAll?: boolean
  /** Enter says yes, once it has been let go. */
  readonly isEntered?: boolean
}

interface Asked {
  readonly question: Question
  readonly answer: (isYes: boolean) => void
}

/** The question that is open, and what the page has to say. Shown by the frame. */
export const desk = reactive<{
  asked: Asked | undefined
  notices: readonly Notice[]
}>({ asked: undefined, notices: [] })

const NOTICE_MS = 6_000
let count = 0

/** Questions that wait behind the one that is open: of more of them nobody would know any more what each is about. */
const WAITING_MAX = 4
/** Each follows a yes of the operator. */
const waiting = queueOf<Asked>(WAITING_MAX)
function askNext(): void {
  desk.asked ??= waiting.next()
}

/**
 * Asks the operator; false when he thinks better of it. A question that an answer of the service leads to may come late:
 * it waits for the one that is open by then, and takes no kill switch away that is just being raised. Behind
 * {@link WAITING_MAX} others it is not asked at all: that is no, and is said until somebody has seen it.
 */
export const confirmAction = (question: Question): Promise<boolean> =>
  new Promise((resolve) => {
    const answer = (isYes: boolean): void => {
      desk.asked = undefined
      resolve(isYes)
      void nextTick(askNext) // the window has been closed by then, and opens anew
    }
    if (waiting.add({ question, answer })) return askNext()
    notice(t('confirm.tooMany', { title: question.title }), undefined, true)
    resolve(false)
  })

/** Says something for a few seconds; a fault, and what is lasting, stays until it is closed. */
export function notice(text: string, fault?: Fault, isLasting = false): void {
  const id = add({ text, fault, isLasting })
  if (fault === undefined && !isLasting) setTimeout(() => dismiss(id), NOTICE_MS)
}
function add(one: Omit<Notice, 'id'>): number {
  count += 1
  desk.notices = withNotice(desk.notices, { id: count, ...one })
  return count
}

export function dismiss(id: number): void {
  desk.notices = desk.notices.filter((one) => one.id !== id)
}

/** Whether it was done with a warning in its words. */
const hasWarned = (result: unknown): boolean => {
  const { warnings } = Object(result) as { readonly warnings?: readonly string[] }
  return warnings !== undefined && warnings.length > 0
}

/** Does something and says how it went. undefined when it failed; the reason is on the screen then. */
export async function attempt<T>(
  doing: () => Promise<T>,
  done?: (result: T) => string,
  failed: (fault: Fault) => string = ({ message }) => said(message),
  /** What is done, where several such things may fail alike. */
  what: readonly string[] = [],
): Promise<T | undefined> {
  try {
    const result = await doing()
    if (done !== undefined)
      notice(saidOr(done(result), t('action.done')), undefined, hasWarned(result))
    return result
  } catch (error) {
    const fault = asFault(error)
    add({ text: failed(fault), fault, what })
    return undefined
  }
}

interface Said {
  readonly message?: string
}
interface Outcome<T> {
  /** What is said of it; the service's own sentence where nothing is given. */
  readonly said?: (result: T) => string
  /** Shows what has changed, also after a failure. */
  readonly refresh?: (() => unknown) | undefined
  /** Which one it is, where its title is that of others too. */
  readonly what?: string
}

/** Asks, and does it when the operator says yes. undefined when he does not, or when it failed. */
export async function attemptConfirmed<T extends Said>(
  question: Question,
  doing: () => Promise<T>,
  { said: told = ({ message = '' }) => message, refresh, what = question.title }: Outcome<T> = {},
): Promise<T | undefined> {
  if (!(await confirmAction(question))) return undefined
  const result = await attempt(doing, told, undefined, [what])
  await refresh?.()
  return result
}
