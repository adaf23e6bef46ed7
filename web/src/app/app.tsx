import { useEffect } from "preact/hooks";
import { useConnected } from "../api/stream";
import { Notice } from "../common/notice";
import { PlayPage } from "../play/play-page";
import { ReviewPage } from "../review/review-page";
import { StrengthPage } from "../strength/strength-page";
import { texts } from "../texts";
import { Header } from "./header";
import { InfoContext, useLoadInfo } from "./info";
import { useRoute, type Route } from "./route";

export function App() {
  const route = useRoute();
  const { info, error, reload } = useLoadInfo();
  const connected = useConnected();
  useEffect(() => {
    document.title = texts.app.title(texts.pages[route.page]);
  }, [route.page]);
  return (
    <>
      <a class="skip" href="#main" onClick={focusMain}>
        {texts.app.skip}
      </a>
      <Header page={route.page} />
      <div class="connection" role="status">
        {!connected && <p>{texts.app.lost}</p>}
      </div>
      <main id="main" tabIndex={-1}>
        {info && (
          <InfoContext.Provider value={info}>
            <Page route={route} />
          </InfoContext.Provider>
        )}
        {!info && error && (
          <Notice kind="error" action={{ text: texts.app.again, run: reload }}>
            {error}
          </Notice>
        )}
      </main>
      <footer class="foot">{info && <p>{texts.app.foot(info.version)}</p>}</footer>
    </>
  );
}

// The hash belongs to the routes, so the link to the content moves the focus itself.
function focusMain(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Page({ route }: { route: Route }) {
  if (route.page === "review") return <ReviewPage id={route.id} query={route.query} />;
  if (route.page === "play") return <PlayPage id={route.id} />;
  return <StrengthPage query={route.query} />;
}
