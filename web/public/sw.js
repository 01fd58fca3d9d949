// The shell of the page for when the service does not answer. Never an answer of the interface: what it said a while ago
// is kept by the page itself, which says how old it is.
const PREFIX = 'steward-shell-'
/** Made by the build: a digest of the pages, and all their files. */
const LIST = '/shell.json'
const PAGE = '/'
/** It, and the other addresses that only its own router knows: the monitor's. */
const OF_PAGE = /^\/(?:account\/.+|health|connection)?$/
/** Names in here carry a digest of their content. */
const HASHED = '/assets/'
/** Those of the shell keep their names: the service's own come first, as the page does. */
const ICON = /^\/favicon[\w-]*\.svg$/

async function keepShell() {
  const response = await fetch(LIST, { cache: 'no-store' })
  if (!response.ok) throw new Error(`${LIST}: ${response.status}`)
  const { digest, files } = await response.json()
  const cache = await caches.open(PREFIX + digest)
  await cache.addAll([PAGE, ...files])
  await self.skipWaiting()
}

/** What an earlier version kept is of no use to this one. */
async function forgetOthers() {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX))
  const response = await fetch(LIST, { cache: 'no-store' }).catch(() => undefined)
  if (response?.ok) {
    const { digest } = await response.json()
    await Promise.all(
      names.filter((name) => name !== PREFIX + digest).map((name) => caches.delete(name)),
    )
  }
  await self.clients.claim()
}

/** The service's own while it answers; what was kept of it when it does not. */
async function orKept(request, name) {
  try {
    return await fetch(request)
  } catch (error) {
    const kept = await caches.match(name)
    if (kept === undefined) throw error
    return kept
  }
}

const file = async (request) => (await caches.match(request)) ?? fetch(request)

self.addEventListener('install', (event) => event.waitUntil(keepShell()))
self.addEventListener('activate', (event) => event.waitUntil(forgetOthers()))
self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin) return
  if (request.mode === 'navigate' && OF_PAGE.test(pathname))
    event.respondWith(orKept(request, PAGE))
  else if (ICON.test(pathname)) event.respondWith(orKept(request, pathname))
  else if (pathname.startsWith(HASHED)) event.respondWith(file(request))
})
/** A notification brings the page to the front. */
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(
    self.clients
      .matchAll({ type: 'window', includeUncontrolled: true })
      .then(([open]) => (open === undefined ? self.clients.openWindow(PAGE) : open.focus())),
  )
})
