"""The example of subway arrivals, whose answer is a file of bytes."""

from google.transit.gtfs_realtime_pb2 import FeedMessage

from service.integrations.vendors.mta.arrivals import arrivals

BEGAN = 1_795_350_000


def test_the_example_is_a_train_at_times_square_in_four_minutes():
    raw, _ = arrivals.examples[0].exchanges[1].content
    message = FeedMessage.FromString(raw)
    assert message.header.timestamp == BEGAN
    (entity,) = message.entity
    assert entity.trip_update.trip.route_id == "1"
    stops = [(one.stop_id, one.arrival.time) for one in entity.trip_update.stop_time_update]
    assert stops == [("127N", BEGAN + 265), ("101N", BEGAN + 2400)]
