#include "ratings.hpp"

#include "bindings.hpp"
#include "whole_history.hpp"

namespace tengen::bindings {
namespace {

// A player's rating crosses as (rating, deviation, volatility).
using Triple = std::tuple<double, double, double>;

Glicko2Rating rating_of(const Triple& t) { return {std::get<0>(t), std::get<1>(t), std::get<2>(t)}; }

Results results_of(const Column<std::int32_t>& black, const Column<std::int32_t>& white,
                   const Column<double>& score, const Column<double>& head_start) {
    return {span_of(black), span_of(white), span_of(score), span_of(head_start)};
}

}  // namespace

void bind_ratings(nb::module_& m) {
    nb::enum_<Curve>(m, "EloCurve", "The curve from a rating difference to an expected score.")
        .value("LOGISTIC", Curve::kLogistic)
        .value("NORMAL", Curve::kNormal);

    nb::class_<EloSettings>(m, "EloSettings", "The constants of the Elo system; see tengen.ratings.elo.")
        .def(
            "__init__",
            [](EloSettings* self, Curve curve, double k, double initial, double scale) {
                new (self) EloSettings{curve, k, initial, scale};
            },
            nb::kw_only(), nb::arg("curve"), nb::arg("k"), nb::arg("initial"), nb::arg("scale"));

    nb::class_<Glicko2Settings>(m, "Glicko2Settings",
                                "The constants of the Glicko-2 system; see tengen.ratings.glicko2.")
        .def(
            "__init__",
            [](Glicko2Settings* self, double tau, const Triple& initial, std::pair<double, double> rating_bounds,
               std::pair<double, double> deviation_bounds, std::pair<double, double> volatility_bounds,
               double epsilon, bool use_deviations) {
                new (self) Glicko2Settings{tau,
                                           std::get<0>(initial),
                                           std::get<1>(initial),
                                           std::get<2>(initial),
                                           rating_bounds.first,
                                           rating_bounds.second,
                                           deviation_bounds.first,
                                           deviation_bounds.second,
                                           volatility_bounds.first,
                                           volatility_bounds.second,
                                           epsilon,
                                           use_deviations};
            },
            nb::kw_only(), nb::arg("tau"), nb::arg("initial"), nb::arg("rating_bounds"),
            nb::arg("deviation_bounds"), nb::arg("volatility_bounds"), nb::arg("epsilon"),
            nb::arg("use_deviations"));

    m.def(
        "elo_sweep",
        [](Column<std::int32_t> black, Column<std::int32_t> white, Column<double> score, Column<double> head_start,
           std::size_t players, const EloSettings& settings) {
            const Results results = results_of(black, white, score, head_start);
            EloSweep sweep;
            {
                nb::gil_scoped_release release;
                sweep = elo_sweep(results, players, settings);
            }
            const std::size_t n = results.size();
            return std::make_tuple(to_numpy(std::move(sweep.prediction), n), to_numpy(std::move(sweep.before), n, 2),
                                   to_numpy(std::move(sweep.after), n, 2),
                                   to_numpy(std::move(sweep.players), players));
        },
        nb::arg("black"), nb::arg("white"), nb::arg("score"), nb::arg("head_start"), nb::arg("players"),
        nb::arg("settings"),
        "Elo over games in order. Returns predictions (n), ratings before and after each game (n, 2: Black, "
        "White), and the players' last ratings.");

    m.def(
        "glicko2_sweep",
        [](Column<std::int32_t> black, Column<std::int32_t> white, Column<double> score, Column<double> head_start,
           Column<std::int64_t> period, Column<double> clock, std::size_t players,
           const Glicko2Settings& settings) {
            const Results results = results_of(black, white, score, head_start);
            Glicko2Sweep sweep;
            std::vector<double> flat;
            {
                nb::gil_scoped_release release;
                sweep = glicko2_sweep(results, span_of(period), span_of(clock), players, settings);
                flat.reserve(3 * players);
                for (const Glicko2Rating& p : sweep.players)
                    flat.insert(flat.end(), {p.rating, p.deviation, p.volatility});
            }
            const std::size_t n = results.size();
            return std::make_tuple(to_numpy(std::move(sweep.prediction), n),
                                   to_numpy(std::move(sweep.rating_before), n, 2),
                                   to_numpy(std::move(sweep.deviation_before), n, 2),
                                   to_numpy(std::move(sweep.rating_after), n, 2),
                                   to_numpy(std::move(sweep.deviation_after), n, 2),
                                   to_numpy(std::move(sweep.volatility_after), n, 2),
                                   to_numpy(std::move(flat), players, 3));
        },
        nb::arg("black"), nb::arg("white"), nb::arg("score"), nb::arg("head_start"), nb::arg("period"),
        nb::arg("clock"), nb::arg("players"), nb::arg("settings"),
        "Glicko-2 over games in order. Returns predictions (n); rating and deviation before each game, rating, "
        "deviation and volatility after it (n, 2: Black, White); and the players' last ratings (players, 3).");

    m.def(
        "glicko2_update",
        [](const Triple& player, const std::vector<Triple>& opponents, const std::vector<double>& scores,
           const Glicko2Settings& settings) {
            std::vector<Glicko2Rating> others;
            for (const Triple& t : opponents) others.push_back(rating_of(t));
            const Glicko2Rating r = glicko2_update(rating_of(player), others, scores, settings);
            return Triple{r.rating, r.deviation, r.volatility};
        },
        nb::arg("player"), nb::arg("opponents"), nb::arg("scores"), nb::arg("settings"),
        "A player's (rating, deviation, volatility) after one rating period.");

    m.def("elo_expected", &elo_expected, nb::arg("black"), nb::arg("white"), nb::arg("head_start"),
          nb::arg("settings"), "Black's expected score.");
    m.def(
        "glicko2_expected",
        [](const Triple& black, const Triple& white, double head_start, const Glicko2Settings& settings) {
            return glicko2_expected(rating_of(black), rating_of(white), head_start, settings);
        },
        nb::arg("black"), nb::arg("white"), nb::arg("head_start"), nb::arg("settings"), "Black's expected score.");

    nb::class_<WholeHistory>(m, "WholeHistory",
                             "A whole-history rating under way, in natural units. See tengen.ratings.whole_history.")
        .def(
            "__init__",
            [](WholeHistory* self, std::size_t players, double drift, double prior_wins, double rank_worth,
               double rank_deviation) {
                new (self) WholeHistory(players, {drift, prior_wins, rank_worth, rank_deviation});
            },
            nb::arg("players"), nb::kw_only(), nb::arg("drift"), nb::arg("prior_wins"), nb::arg("rank_worth"),
            nb::arg("rank_deviation"))
        .def(
            "add",
            [](WholeHistory& self, Column<std::int32_t> black, Column<std::int32_t> white, Column<double> score,
               Column<double> head_start, Column<std::int64_t> time) {
                nb::gil_scoped_release release;
                self.add(results_of(black, white, score, head_start), span_of(time));
            },
            nb::arg("black"), nb::arg("white"), nb::arg("score"), nb::arg("head_start"), nb::arg("time"),
            "Adds games, none earlier than the last one added.")
        .def(
            "add_in_turn",
            [](WholeHistory& self, Column<std::int32_t> black, Column<std::int32_t> white, Column<double> score,
               Column<double> head_start, Column<std::int64_t> time) {
                WholeHistory::Known known;
                {
                    nb::gil_scoped_release release;
                    known = self.add_in_turn(results_of(black, white, score, head_start), span_of(time));
                }
                const std::size_t n = known.advantage.size();
                return std::make_tuple(
                    to_numpy(std::move(known.rating), n, 2), to_numpy(std::move(known.variance), n, 2),
                    to_numpy(std::move(known.time), n, 2), to_numpy(std::move(known.advantage), n));
            },
            nb::arg("black"), nb::arg("white"), nb::arg("score"), nb::arg("head_start"), nb::arg("time"),
            "Adds games one by one, each after a Newton step for those of its players who got games since their\n"
            "last step. Returns what was known before each game: rating, variance and time of its players' last\n"
            "days (n, 2: Black, White; 0, infinity and -1 for a newcomer), and the worth of its head start (n).")
        .def("iterate", &WholeHistory::iterate, nb::arg("rounds"), nb::arg("precision") = 0.0,
             nb::call_guard<nb::gil_scoped_release>(),
             "Newton steps for all players, until no rating moves by more than the precision; returns the largest\n"
             "move of the last round.")
        .def(
            "curves",
            [](const WholeHistory& self) {
                WholeHistory::Curves curves;
                {
                    nb::gil_scoped_release release;
                    curves = self.curves();
                }
                const std::size_t n = curves.rating.size() / 2;
                return std::make_tuple(to_numpy(std::move(curves.rating), n, 2),
                                       to_numpy(std::move(curves.variance), n, 2));
            },
            "Rating and variance of both sides on the day of each game (n, 2: Black, White).")
        .def("advantage", &WholeHistory::advantage, nb::arg("head_start"),
             "What a head start of so many ranks is worth.");
}

}  // namespace tengen::bindings
