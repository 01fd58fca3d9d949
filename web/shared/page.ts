import {
  ElButton,
  ElConfigProvider,
  ElDialog,
  ElDrawer,
  ElInput,
  ElProgress,
  ElSwitch,
} from 'element-plus'
import { createPinia } from 'pinia'
import { type Component, createApp } from 'vue'
import { type RouteLocationNormalized, type Router, START_LOCATION } from 'vue-router'
import { followScreens } from './focus.ts'
import { applyPrefs } from './prefs.ts'
import { keepShell } from './shell.ts'
import { i18n } from './texts.ts'
import 'element-plus/theme-chalk/base.css'
import 'element-plus/theme-chalk/dark/css-vars.css'
import 'element-plus/theme-chalk/el-button.css'
import 'element-plus/theme-chalk/el-overlay.css'
import 'element-plus/theme-chalk/el-dialog.css'
import 'element-plus/theme-chalk/el-drawer.css'
import 'element-plus/theme-chalk/el-input.css'
import 'element-plus/theme-chalk/el-progress.css'
import 'element-plus/theme-chalk/el-switch.css'

/** The components of Element Plus that the pages use, and no others: each costs bytes of the first load. */
const USED = [ElButton, ElConfigProvider, ElDialog, ElDrawer, ElInput, ElProgress, ElSwitch]

/**
 * A screen that could not be fetched, while the service answers: it is of another release than this page by now, and has
 * other names for its files. The page begins anew at that screen. One that has just begun does not: nothing would help it.
 */
function beginAnew(router: Router): void {
  router.onError(async (_error, to: RouteLocationNormalized, from: RouteLocationNormalized) => {
    if (from.matched === START_LOCATION.matched) return
    const answer = await fetch('/shell.json', { cache: 'no-store' }).catch(() => undefined)
    if (answer?.ok !== true) return
    history.replaceState(null, '', router.resolve(to.fullPath).href)
    location.reload()
  })
}

/** Shows a page in the document. */
export function mountPage(root: Component, router: Router): void {
  applyPrefs()
  beginAnew(router)
  followScreens(router)
  const app = createApp(root)
  app.use(createPinia()).use(i18n).use(router)
  for (const component of USED) app.use(component)
  app.mount('#app')
  keepShell()
}
