import { useInfo } from "../app/info";
import { hrefOf } from "../app/route";
import { Notice } from "../common/notice";
import { texts } from "../texts";
import { NewGame } from "./new-game";
import { OpenGames } from "./open-games";
import { Table } from "./table";
import { usePlay } from "./use-play";

export function PlayPage({ id }: { id: string | null }) {
  return id ? <OpenGame key={id} id={id} /> : <Begin />;
}

function Begin() {
  const info = useInfo();
  return (
    <div class="narrow">
      <div class="lead-in">
        <h1>{texts.play.title}</h1>
        <p class="lead">{texts.play.lead}</p>
      </div>
      <OpenGames />
      <NewGame info={info} />
    </div>
  );
}

function OpenGame({ id }: { id: string }) {
  const play = usePlay(id);
  if (play.state) return <Table play={play} state={play.state} />;
  if (!play.error) return <div class="wide loading" aria-busy="true" />;
  return (
    <div class="narrow">
      <Notice kind="error">{play.error}</Notice>
      <p>
        <a class="button" href={hrefOf("play")}>
          {texts.play.newGame}
        </a>
      </p>
    </div>
  );
}
