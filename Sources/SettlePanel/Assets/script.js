// The panel's one script, a module. The page works without it; with it, changes are saved as they are made and shown as they come.

// --- Sentences at the lower edge, and forms as they come from the program.

const root = document.documentElement, body = document.body;
root.classList.add("script");

const status = document.getElementById("status");
let hiding;
function tell(text, stays, language) {
  if (!status || !text) return;
  status.textContent = text;
  status.lang = language || root.lang;
  status.classList.add("shown");
  clearTimeout(hiding);
  if (!stays) hiding = setTimeout(hush, 2500);
}
function hush() { status.classList.remove("shown"); }

function parsed(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}
function formIn(html) { return parsed(html).querySelector("form.control"); }

// The value of a slider beside it.
function update(scope) {
  for (const slider of scope.querySelectorAll("input[type=range]")) {
    const output = slider.parentElement.querySelector("output");
    const number = Number(slider.value);
    if (output) output.value = Number.isFinite(number) ? String(Number(number.toPrecision(6))) : slider.value;
  }
}
// The digest of what the program has sent last, by form. A form that is not as the program has made it has none.
const sent = new Map();
function remember() {
  for (const form of document.querySelectorAll("form.control")) sent.set(form.id, form.dataset.digest);
  update(document);
}
remember();

// Between the press of a button and its release, the button must stay.
let isPressed = false, later = [];
function release() {
  if (!isPressed) return;
  isPressed = false;
  // The click comes after the release.
  setTimeout(() => { for (const act of later.splice(0)) act(); }, 0);
}
// A menu takes the release for itself.
document.addEventListener("pointerdown", (event) => { isPressed = !event.target.closest("select"); }, true);
document.addEventListener("pointermove", (event) => { if (event.buttons === 0) release(); }, true);
for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, release, true);
window.addEventListener("blur", release);

// --- What is typed in forms, and what replaces them.

// What is being sent, by form.
const pending = new Map();
// What this page has stored itself is not a conflict: the versions in answers that are not shown yet, by form.
const versions = new Map();

function differs(form) {
  return [...form.elements].some((part) => {
    if (part.type === "hidden" || part.type === "submit") return false;
    if (part.validity && part.validity.badInput) return true;
    if (part.type === "checkbox" || part.type === "radio") return part.checked !== part.defaultChecked;
    if (part.tagName !== "SELECT") return part.value !== part.defaultValue;
    const chosen = Math.max(0, [...part.options].findIndex((option) => option.defaultSelected));
    return part.selectedIndex !== chosen;
  });
}
function isRefused(form) { return form.querySelector("[role=alert]") !== null; }
// What a person is typing, or has typed and is not stored.
function isTyped(form) { return form.hasAttribute("data-typing") || pending.has(form.id); }
function isBusy(form) { return isTyped(form) || isRefused(form); }
function isAnyBusy() { return [...document.querySelectorAll("form.control")].some(isBusy); }
// By a search, which ends with the first: the form's own list of names is made anew after each change.
function fieldIn(form, name) { return form.querySelector(`[name=${name}]`); }

// Whether an event leaves a form as it is: one that is edited only becomes stale, and one that looks the same gets the version.
function keeps(old, form) {
  const isSame = old.dataset.digest === form.dataset.digest;
  if (isBusy(old)) {
    if (isSame) return true;
    if (fieldIn(old, "seen").value !== fieldIn(form, "seen").value) tell(body.dataset.changed);
    old.dataset.stale = "";
    return true;
  }
  if (!isSame) return false;
  fieldIn(old, "token").value = fieldIn(form, "token").value;
  delete old.dataset.stale;
  versions.delete(old.id);
  return true;
}

// An answer may be refused, or have stored something; an event comes from others; what is wanted is taken in any case.
function show(form, why) {
  if (isPressed) { later.push(() => show(form, why)); return; }
  const old = form && document.getElementById(form.id);
  if (!old) return;
  if (why === "event") {
    if (keeps(old, form)) return;
    form.className = old.className;
    flash(morph(old, form) ? old : replace(old, form));
  } else if (why !== "wanted" && isTyped(old)) {
    join(old, form, why === "stored");
  } else {
    replace(old, form);
  }
}

// Two names of one animation: with the other one it begins again, without a layout in between.
function flash(form) {
  const names = form.classList;
  if (!names.replace("fresh", "again") && !names.replace("again", "fresh")) names.add("fresh");
}

// Whether two have the same elements and texts. Parts that the program has not made are a difference, such as a translator's.
function isAlike(old, form) {
  return old.nodeName === form.nodeName && old.type === form.type && old.childNodes.length === form.childNodes.length
    && [...old.childNodes].every((child, index) => isAlike(child, form.childNodes[index]));
}
function become(old, form) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== form.data) old.data = form.data;
    return;
  }
  for (const name of old.getAttributeNames()) if (!form.hasAttribute(name)) old.removeAttribute(name);
  for (const name of form.getAttributeNames()) {
    const value = form.getAttribute(name);
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  old.childNodes.forEach((child, index) => become(child, form.childNodes[index]));
}
// Makes a form as another one in place, which keeps focus, selection and open menus, and costs a browser less than a new one.
function morph(old, form) {
  if (!isAlike(old, form)) return false;
  const active = document.activeElement, caret = old.contains(active) ? caretOf(active) : null;
  become(old, form);
  // What has been operated does not follow its attributes any more. After all of them, as one may limit another.
  [...old.elements].forEach((part, index) => {
    const other = form.elements[index];
    for (const name of ["value", "checked", "selectedIndex"]) if (part[name] !== other[name]) part[name] = other[name];
  });
  if (caret) active.setSelectionRange(...caret);
  versions.delete(old.id);
  left.delete(old.id);
  update(old);
  return true;
}

// Somebody types on: what is typed stays.
function join(old, form, isStored) {
  old.dataset.stale = "";
  delete old.dataset.digest;
  for (const name of isStored ? ["token", "seen"] : []) fieldIn(old, name).value = fieldIn(form, name).value;
  for (const alert of old.querySelectorAll("[role=alert]")) alert.remove();
  const alert = form.querySelector("[role=alert]");
  if (alert) old.querySelector(".row").after(alert);
}

// What is selected of a text; null if there is none.
function caretOf(part) {
  if (typeof part.selectionStart !== "number") return null;
  return [part.selectionStart, part.selectionEnd, part.selectionDirection];
}

// Where the focus was when a form could not be used for a moment.
const left = new Map();
function replace(old, form) {
  const active = document.activeElement;
  const focus = old.contains(active) ? active : active === body ? left.get(old.id) : null;
  const caret = focus ? caretOf(focus) : null;
  left.delete(old.id);
  versions.delete(old.id);
  old.replaceWith(form);
  update(form);
  if (!focus) return form;
  const part = (focus.id && document.getElementById(focus.id))
    || [...form.querySelectorAll(focus.tagName)].find((other) => other.name === focus.name
      && other.value === focus.value && other.getAttribute("href") === focus.getAttribute("href"))
    || form.querySelector("input:not([type=hidden]), select, textarea");
  if (!part) return form;
  part.focus({ preventScroll: true });
  if (caret && caretOf(part)) part.setSelectionRange(...caret);
  return form;
}

// The form as it is now; null if it can't be had.
async function fetchForm(form) {
  const url = new URL(body.dataset.form, location.href);
  url.searchParams.set("key", form.dataset.key);
  url.searchParams.set("control", form.id);
  try {
    const response = await fetch(url);
    if (response.ok) return formIn(await response.text());
    if (response.status === 401) end();
  } catch { tell(body.dataset.unreachable); }
  return null;
}

// Forms that are being fetched. An event that comes first is at least as new, or another one follows it.
const fetching = new Map();
async function refresh(form) {
  const request = {};
  fetching.set(form.id, request);
  const now = await fetchForm(form);
  if (fetching.get(form.id) !== request) return;
  fetching.delete(form.id);
  // Without an answer, only a new connection sends the form again.
  if (now) show(now, "event"); else if (events) listen();
}

// A form that is left as it was shows what others have done meanwhile.
function settle(form) {
  if (!differs(form)) delete form.dataset.typing;
  if (!isBusy(form) && form.dataset.stale !== undefined) refresh(form);
  renew();
}

document.addEventListener("input", (event) => {
  const form = event.target.closest("form.control");
  if (!form) return;
  if (pending.has(form.id) || differs(form)) form.dataset.typing = ""; else delete form.dataset.typing;
  update(form);
});
document.addEventListener("click", (event) => {
  const form = event.target.closest("[data-leave]") && event.target.closest("form.control");
  if (!form) return;
  event.preventDefault();
  fetchForm(form).then((wanted) => show(wanted, "wanted"));
});

// --- How forms are sent: one after the other, until each is answered.

// The session has ended. What is typed stays on the page.
function end() { tell(body.dataset.ended, true); }

let waiting = Promise.resolve();
// What goes on its way when the page is left.
let underway = null;
function send(form, button) {
  const data = new URLSearchParams(new FormData(form));
  // At the end, wherever the button is in the form: otherwise the same change would not look the same.
  data.set("action", button?.name === "action" ? button.value : "save");
  const id = form.id, earlier = pending.get(id);
  // The Return key both changes and submits.
  if (earlier && earlier.toString() === data.toString()) return;
  const action = form.getAttribute("action");
  pending.set(id, data);
  form.dataset.sending = "";
  delete form.dataset.typing;
  // Entries get other numbers, so nobody can use the present ones.
  if (data.get("action") !== "save" || data.get("newPart")) {
    left.set(id, document.activeElement);
    form.inert = true;
  }
  waiting = waiting.then(async () => {
    for (const [name, value] of versions.get(id) || []) data.set(name, value);
    await deliver(id, action, data);
  });
}

async function deliver(id, action, data, attempt = 0) {
  let response, text;
  const isSmall = data.toString().length < 30000;
  try {
    underway = isSmall && attempt === 0 ? data : null;
    // The browser sends it also if the page is left, up to a size.
    response = await fetch(action, { method: "POST", body: data, headers: { "X-Settle-Fragment": "1" },
      redirect: "manual", keepalive: isSmall });
    text = await response.text();
  } catch {
    underway = null;
    tell(body.dataset.unreachable, true);
    await new Promise((resolve) => setTimeout(resolve, Math.min(1000 * 2 ** attempt, 10000)));
    return deliver(id, action, data, attempt + 1);
  }
  const isLast = pending.get(id) === data, form = document.getElementById(id), answer = formIn(text);
  if (isLast) pending.delete(id);
  if (form && isLast) { delete form.dataset.sending; form.inert = false; }
  if (answer) {
    if (response.ok) versions.set(id, ["token", "seen"].map((name) => [name, fieldIn(answer, name).value]));
    // An event that came before the answer may be newer than it is.
    const isOld = response.ok && isLast && form?.dataset.stale !== undefined && sent.get(id) !== answer.dataset.digest;
    show(answer, response.ok ? "stored" : "refused");
    if (isOld) refresh(document.getElementById(id));
    if (response.ok && !response.headers.has("X-Settle-Unchanged")) tell(body.dataset.saved);
    else if (attempt > 0) hush();
  } else {
    // It is not stored, so it stays.
    if (form) form.dataset.typing = "";
    const alert = parsed(text).querySelector("[role=alert]");
    if (response.status === 401) end();
    else if (alert) tell(alert.textContent, true, alert.querySelector("[lang]")?.lang);
    else tell(text, true, "en");
  }
  renew();
}

function isReadable(form) {
  const wrong = [...form.elements].find((part) => part.validity && part.validity.badInput);
  if (wrong) {
    wrong.setAttribute("aria-invalid", "true");
    delete form.dataset.digest;
    tell(wrong.validationMessage);
  }
  return !wrong;
}
// A date changes with each of its parts; it is whole when it is left.
function isDate(part) { return part.type === "datetime-local"; }

document.addEventListener("change", (event) => {
  const form = event.target.closest("form.control");
  if (!form || event.target.closest(".new") || isDate(event.target)) return;
  if (isReadable(form)) send(form, null);
});
document.addEventListener("submit", (event) => {
  const form = event.target.closest("form.control");
  if (!form) return;
  event.preventDefault();
  send(form, event.submitter);
});
document.addEventListener("focusout", (event) => {
  const form = event.target.closest && event.target.closest("form.control");
  if (!form || form.inert) return;
  const isTyped = form.dataset.typing !== undefined && differs(form);
  if (isDate(event.target) && isTyped && !event.target.closest(".new") && isReadable(form)) send(form, null);
  if (!form.contains(event.relatedTarget)) settle(form);
});
window.addEventListener("beforeunload", (event) => {
  const isTyped = document.querySelector("form.control[data-typing]") !== null;
  if (isTyped || [...pending.values()].some((data) => data !== underway)) event.preventDefault();
});

// --- What others change.

// Whether the page has other settings than the program by now.
let isOutdated = false;
function renew() {
  if (!isOutdated || document.activeElement?.closest("form.control")) return;
  if (!isAnyBusy()) location.reload();
}

// The stream of the page. What it has sent last is what the page shows, unless an answer has come between.
let stream, since;
function isAsSent() {
  return [...document.querySelectorAll("form.control")].every((form) => form.dataset.digest === sent.get(form.id));
}
let events = null, timer, delay = 500, isLost = false;
function stop() {
  clearTimeout(timer);
  if (events) events.close();
  events = null;
}
function listen() {
  stop();
  if (isAsSent()) stream.searchParams.set("since", since); else stream.searchParams.delete("since");
  const own = events = new EventSource(stream);
  own.addEventListener("open", () => {
    if (isLost) hush();
    [isLost, delay] = [false, 500];
  });
  own.addEventListener("forms", (event) => {
    since = event.lastEventId;
    for (const html of JSON.parse(event.data)) {
      const form = formIn(html);
      sent.set(form.id, form.dataset.digest);
      fetching.delete(form.id);
      show(form, "event");
    }
  });
  own.addEventListener("contents", () => {
    isOutdated = true;
    renew();
  });
  own.addEventListener("error", async () => {
    if (own !== events) return;
    isLost = true;
    tell(body.dataset.unreachable, true);
    // The browser connects again by itself, and says what it was sent.
    if (own.readyState !== EventSource.CLOSED && isAsSent()) return;
    own.close();
    // The event does not say why.
    const answer = await fetch(location.href, { method: "HEAD" }).catch(() => null);
    if (own !== events) return;
    if (answer && answer.status === 401) { stop(); end(); return; }
    timer = setTimeout(listen, delay);
    delay = Math.min(delay * 2, 10000);
  });
}
function follow() {
  stream = body.dataset.events ? new URL(body.dataset.events, location.href) : null;
  since = stream ? stream.searchParams.get("since") : "";
  if (stream && !document.hidden) listen(); else stop();
}
// A page that nobody sees needs no connection; browsers have few for each server.
document.addEventListener("visibilitychange", () => { if (document.hidden || !stream) stop(); else listen(); });
follow();

// --- A search as one types: its results replace what the page shows, and its address is theirs.

const main = document.getElementById("main"), seeking = document.querySelector("form[role=search]");
// Where the search began. It is shown again when nothing is sought.
const beginning = seeking && location.pathname === new URL(seeking.getAttribute("action"), location.href).pathname
  ? document.querySelector("header .home").href : location.href;
let address = location.pathname + location.search, soon, asked = 0, isSeeking = false;

function turn(page, url) {
  for (const name of ["events", "form"]) {
    if (page.body.dataset[name]) body.dataset[name] = page.body.dataset[name]; else delete body.dataset[name];
  }
  main.replaceChildren(...page.getElementById("main").childNodes);
  document.title = page.title;
  // The way back leads to where the search began, not through all that was typed.
  history[isSeeking ? "replaceState" : "pushState"](null, "", url);
  address = location.pathname + location.search;
  isSeeking = true;
  for (const known of [sent, versions, left, fetching]) known.clear();
  remember();
  isOutdated = false;
  follow();
  // Screen readers say it; the eye sees the results.
  if (!status.classList.contains("shown")) status.textContent = main.querySelector(".empty")?.textContent ?? "";
}

// What is typed in a form, or was refused, must stay, and so must what has the focus. The Return key leaves the page, which asks first.
function showResults(text, url, number) {
  if (isPressed) { later.push(() => showResults(text, url, number)); return; }
  if (number !== asked || isAnyBusy() || main.contains(document.activeElement)) return;
  turn(new DOMParser().parseFromString(text, "text/html"), url);
}

async function seek() {
  const isSought = fieldIn(seeking, "q").value.trim() !== "" || fieldIn(seeking, "changed") !== null;
  const url = isSought ? new URL(seeking.getAttribute("action"), location.href) : new URL(beginning);
  if (isSought) url.search = new URLSearchParams(new FormData(seeking));
  asked += 1;
  const number = asked;
  try {
    const response = await fetch(url), text = await response.text();
    if (number !== asked) return;
    if (response.status === 401) end();
    else if (response.ok) showResults(text, url, number);
  } catch { if (number === asked) tell(body.dataset.unreachable); }
}
if (seeking) {
  seeking.addEventListener("input", () => { clearTimeout(soon); soon = setTimeout(seek, 150); });
  seeking.addEventListener("submit", () => { clearTimeout(soon); asked += 1; });
  window.addEventListener("popstate", () => { if (location.pathname + location.search !== address) location.reload(); });
}
