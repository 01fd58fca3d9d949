import { watchEffect } from 'vue'
import { type Words, wordsOf } from './alert-words.ts'
import {
  type Alert,
  alertsOf,
  fewest,
  type Memory,
  type Seen,
  type Severity,
  type Way,
} from './alerts.ts'
import { prefs } from './prefs.ts'
import { t } from './texts.ts'

/** Notifications that one look may raise. */
const SHOWN_MAX = 4

/** Hertz and seconds of the tones of a sound: rising for news, falling for trouble. */
const TONES: Readonly<Record<Severity, readonly (readonly [number, number])[]>> = {
  info: [[880, 0.12]],
  warn: [
    [660, 0.16],
    [660, 0.16],
  ],
  critical: [
    [988, 0.18],
    [740, 0.18],
    [988, 0.18],
    [740, 0.3],
  ],
}
const GAP_S = 0.06
const VOLUME = 0.2
/** A tone that ends at once clicks. */
const FADE_S = 0.02
/** What could not be played for so long is not news any more. */
const LATE_MS = 5_000

let audio: AudioContext | undefined

/**
 * Plays the sound of a severity. In a page that nobody has touched yet it waits for the first touch, maybe for ever, and plays
 * none of what is old by then.
 */
export async function ring(severity: Severity): Promise<void> {
  const wantedMs = Date.now()
  audio ??= new AudioContext()
  if (audio.state === 'suspended') await audio.resume()
  if (Date.now() - wantedMs > LATE_MS) return
  let at = audio.currentTime
  for (const [hertz, seconds] of TONES[severity]) {
    const [tone, gain] = [audio.createOscillator(), audio.createGain()]
    tone.frequency.value = hertz
    gain.gain.setValueAtTime(VOLUME, at)
    gain.gain.setValueAtTime(VOLUME, at + seconds - FADE_S)
    gain.gain.linearRampToValueAtTime(0, at + seconds)
    tone.connect(gain).connect(audio.destination)
    tone.start(at)
    tone.stop(at + seconds)
    at += seconds + GAP_S
  }
}

/** Whether the browser shows notifications: granted, to be asked, refused, or never on such an address. */
export type Leave = NotificationPermission | 'insecure'
export const leaveOf = (): Leave =>
  typeof Notification === 'undefined' || !isSecureContext ? 'insecure' : Notification.permission

/** Asks for leave to show notifications; only a click may. */
export async function askLeave(): Promise<Leave> {
  if (leaveOf() === 'default') await Notification.requestPermission()
  return leaveOf()
}

/** Where an app of the phone shows them a page may not by itself: its worker does. */
async function show({ title, body }: Words, tag: string): Promise<void> {
  const options = { body, tag, icon: '/favicon.svg', silent: true }
  // A browser that lets the site keep nothing refuses to say.
  const worker = await navigator.serviceWorker?.getRegistration().catch(() => undefined)
  if (worker?.active) return worker.showNotification(title, options)
  const shown = new Notification(title, options)
  shown.onclick = () => {
    window.focus()
    shown.close()
  }
}

const isShown = (way: Way): boolean => way === 'desktop' || way === 'both'
const isHeard = (way: Way): boolean => way === 'sound' || way === 'both'

/** Tells alerts as the reader has chosen for each severity; the loudest is heard. */
export async function tell(alerts: readonly Alert[]): Promise<void> {
  const wanted = alerts.filter(({ severity }) => prefs.alerts[severity] !== 'off')
  const heard = fewest(
    wanted.filter(({ severity }) => isHeard(prefs.alerts[severity])),
    1,
  ).shown[0]
  // Whoever cannot hear it is to see it all the same.
  if (heard !== undefined) void ring(heard.severity).catch(() => undefined)
  if (leaveOf() !== 'granted') return
  const seen = wanted.filter(({ severity }) => isShown(prefs.alerts[severity]))
  const { shown, left } = fewest(seen, SHOWN_MAX)
  for (const alert of shown) await show(wordsOf(alert), `${alert.accountId}|${alert.subject}`)
  if (left > 0) await show({ title: t('alert.more', { count: left }), body: '' }, 'more')
}

/** Tells what changes in what is seen of each account, for as long as the page is open. Call once. */
export function useAlarm(look: () => readonly Seen[]): void {
  const memories = new Map<string, Memory>()
  watchEffect(() => {
    const alerts = look().flatMap((seen) => {
      const found = alertsOf(memories.get(seen.accountId), seen)
      memories.set(seen.accountId, found.memory)
      return found.alerts
    })
    if (alerts.length > 0) void tell(alerts)
  })
}
