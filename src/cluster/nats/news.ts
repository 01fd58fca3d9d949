import { journalEventSubject } from '../protocol/subjects.ts'
import type { Line, Stop } from './line.ts'

/**
 * Calls when something was kept of an account. The servers publish each record again once it is committed, to whoever
 * listens; such a message may be lost, so a connection that is there again is news as well.
 */
export function followNews(
  line: Pick<Line, 'subscribe' | 'onReopened'>,
  acct: string,
  onNews: () => void,
): Stop {
  const stops = [line.subscribe(journalEventSubject(acct), () => onNews()), line.onReopened(onNews)]
  return () => {
    for (const stop of stops) stop()
  }
}
